# A limit cuts what one Service had on a server. Another Service that has only this server is served all the time, also if it changes meanwhile.
option drain-limit 30s
service a/http 10.96.0.10:80/tcp
service b/http 10.96.0.11:80/tcp
endpoint a/http 10.1.0.5:8080 slice s
endpoint a/http 10.1.0.6:8080 slice s
endpoint b/http 10.1.0.5:8080 slice t
pass
connect old 10.96.0.10:80/tcp to 10.1.0.5:8080
connect other 10.96.0.11:80/tcp to 10.1.0.5:8080
remove endpoint a/http 10.1.0.5:8080 slice s
pass
run 1s
expect drain count 1
clock +29s
expect ops rs-del 10.1.0.5:8080; outcome 10.1.0.5:8080 limit cut 1
service b/http 10.96.0.11:80/tcp scheduler lc
pass
expect ops vs-set 10.96.0.11:80/tcp
run 1s
expect cut old; conn other open; rs 10.1.0.5:8080 weight 1 active 1 on 10.96.0.11:80/tcp
