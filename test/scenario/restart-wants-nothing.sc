# The same table, but the Service has no endpoint any more: all drain, the key refuses.
foreign vs-add 10.96.0.10:80/tcp
foreign rs-add 10.96.0.10:80/tcp 10.1.0.5:8080 0
foreign rs-add 10.96.0.10:80/tcp 10.1.0.6:8080 0
foreign rs-add 10.96.0.10:80/tcp 10.1.0.9:8080 1
foreign addr-add 10.96.0.10
ours 10.96.0.10:80/tcp
straggler c2 10.96.0.10:80/tcp 10.1.0.5:8080
straggler c3 10.96.0.10:80/tcp 10.1.0.5:8080
service web/http 10.96.0.10:80/tcp
pass
expect ops unserve 10.96.0.10:80/tcp, rs-zero 10.1.0.9:8080; refused 10.96.0.10:80/tcp
run 5s
expect rs 10.1.0.6:8080 none; rs 10.1.0.9:8080 none; rs 10.1.0.5:8080 weight 0; drain 10.1.0.5:8080 keep; conn c2 open
reset c2
reset c3
run 12s
expect ops rs-del 10.1.0.5:8080; vs 10.96.0.10:80/tcp; state 10.96.0.10:80/tcp refusing
