# Another writer moves the positions of a dump: a server that one dump skips is not gone, one shown twice is one.
service web/http 10.96.0.10:80/tcp
endpoint web/http 10.1.0.5:8080
endpoint web/http 10.1.0.6:8080
pass
skip-row 10.96.0.10:80/tcp 10.1.0.6:8080 1
repeat-row 10.96.0.10:80/tcp 10.1.0.5:8080 1
run 70s
expect messages 0
connect c1 10.96.0.10:80/tcp to 10.1.0.5:8080
remove endpoint web/http 10.1.0.5:8080
run 2s
skip-row 10.96.0.10:80/tcp 10.1.0.5:8080 1
run 3s
expect ops none; drain 10.1.0.5:8080 keep; outcome none
repeat-row 10.96.0.10:80/tcp 10.1.0.5:8080 2
run 3s
expect ops none; drain 10.1.0.5:8080 keep
