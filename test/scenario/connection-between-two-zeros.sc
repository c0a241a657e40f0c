# A zero, then a late packet makes an entry: the first zero is worth nothing.
service web/http 10.96.0.10:80/tcp
endpoint web/http 10.1.0.5:8080
endpoint web/http 10.1.0.6:8080
pass
remove endpoint web/http 10.1.0.5:8080
pass
clock +10ms
straggler c1 10.96.0.10:80/tcp 10.1.0.5:8080
run 30s
expect ops none; conn c1 open; drain 10.1.0.5:8080 keep
reset c1
run 9s
expect rs 10.1.0.5:8080 weight 0
run 3s
expect ops rs-del 10.1.0.5:8080
