# Lists that do not end well, at the start and later: nothing is concluded from them.
service web/http 10.96.0.10:80/tcp
endpoint web/http 10.1.0.5:8080
endpoint web/http 10.1.0.6:8080
interrupt 3
pass
run 5s
expect served 10.96.0.10:80/tcp
connect c1 10.96.0.10:80/tcp to 10.1.0.5:8080
remove endpoint web/http 10.1.0.5:8080
interrupt 5
run 5s
expect ops rs-zero 10.1.0.5:8080; conn c1 open
run 10s
interrupt 6
run 60s
expect messages 0; drain 10.1.0.5:8080 keep
restart
interrupt 4
run 10s
expect messages 0; drain 10.1.0.5:8080 keep; conn c1 open
