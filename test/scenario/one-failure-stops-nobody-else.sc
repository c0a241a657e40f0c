# Each kind of operation fails once: the others of the pass go on, it is tried again, all is well in the end.
service a/http 10.96.0.10:80/tcp
service b/http 10.96.0.11:80/tcp
endpoint a/http 10.1.0.5:8080
endpoint b/http 10.1.0.6:8080
fail vs-add ENOMEM
pass
expect served count 1
run 1s
expect served 10.96.0.10:80/tcp; rs 10.1.0.5:8080 weight 1; problem none
endpoint a/http 10.1.0.7:8080
endpoint b/http 10.1.0.8:8080
fail rs-add EBUSY
pass
run 1s
expect rs 10.1.0.7:8080 weight 1; rs 10.1.0.8:8080 weight 1
remove endpoint a/http 10.1.0.5:8080
remove endpoint b/http 10.1.0.6:8080
fail rs-zero EPERM
pass
run 2s
expect rs 10.1.0.5:8080 none; rs 10.1.0.6:8080 none
remove endpoint a/http 10.1.0.7:8080
remove endpoint b/http 10.1.0.8:8080
endpoint a/http 10.1.0.5:8080
endpoint b/http 10.1.0.6:8080
fail rs-del EINVAL
pass
run 2s
expect rs 10.1.0.7:8080 none; rs 10.1.0.8:8080 none; rs 10.1.0.5:8080 weight 1
remove service a
remove service b
fail vs-del ENOMEM
fail addr-del EBUSY
fail unserve ENOMEM
run 120s
expect vs 10.96.0.10:80/tcp none; vs 10.96.0.11:80/tcp none; address 10.96.0.10 none; address 10.96.0.11 none; served none
