# The pod is exchanged between two passes, and it was the only one: shut, emptied, added, served.
service web/http 10.96.0.10:80/tcp
endpoint web/http 10.1.0.5:8080 uid a slice s
pass
connect old 10.96.0.10:80/tcp to 10.1.0.5:8080
remove endpoint web/http 10.1.0.5:8080 uid a slice s
endpoint web/http 10.1.0.5:8080 uid z slice s
pass
expect ops unserve 10.96.0.10:80/tcp, rs-zero 10.1.0.5:8080, rs-del 10.1.0.5:8080; refused 10.96.0.10:80/tcp
run 5ms
expect cut old; rs 10.1.0.5:8080 none
run 1s
expect ops rs-add 10.1.0.5:8080, serve 10.96.0.10:80/tcp; rs 10.1.0.5:8080 weight 1
connect new 10.96.0.10:80/tcp to 10.1.0.5:8080
