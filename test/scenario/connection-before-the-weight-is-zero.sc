# A connection that is scheduled just before the weight becomes 0, or slips past the scheduler, is waited for.
service web/http 10.96.0.10:80/tcp
endpoint web/http 10.1.0.5:8080
endpoint web/http 10.1.0.6:8080
pass
at rs-zero connect c1 10.96.0.10:80/tcp to 10.1.0.5:8080
remove endpoint web/http 10.1.0.5:8080
pass
run 2s
expect ops rs-zero 10.1.0.5:8080; conn c1 open; drain 10.1.0.5:8080 keep
reset c1
run 12s
expect rs 10.1.0.5:8080 none
endpoint web/http 10.1.0.5:8080
run 1s
remove endpoint web/http 10.1.0.5:8080
pass
straggler c2 10.96.0.10:80/tcp 10.1.0.5:8080
run 30s
expect conn c2 open; drain 10.1.0.5:8080 keep
