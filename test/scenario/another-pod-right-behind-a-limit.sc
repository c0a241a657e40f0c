# A limit cuts what a pod had, and another pod gets its address in the same moment: it is added when those connections are gone.
option drain-limit 30s
service web/http 10.96.0.10:80/tcp
endpoint web/http 10.1.0.5:8080 uid a slice s
endpoint web/http 10.1.0.6:8080 uid b slice s
pass
connect old 10.96.0.10:80/tcp to 10.1.0.5:8080
remove endpoint web/http 10.1.0.5:8080 uid a slice s
pass
run 1s
expect drain 10.1.0.5:8080 keep
clock +29s
expect ops rs-del 10.1.0.5:8080; outcome 10.1.0.5:8080 limit cut 1
endpoint web/http 10.1.0.5:8080 uid z slice s
pass
expect ops none
run 5ms
expect cut old; rs 10.1.0.5:8080 none
run 1s
expect ops rs-add 10.1.0.5:8080; rs 10.1.0.5:8080 weight 1 active 0 inactive 0
