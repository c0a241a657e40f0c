# After each step of a drain the process ends; the drain goes on, the connection lives.
service web/http 10.96.0.10:80/tcp
endpoint web/http 10.1.0.5:8080
endpoint web/http 10.1.0.6:8080
pass
connect c1 10.96.0.10:80/tcp to 10.1.0.5:8080
remove endpoint web/http 10.1.0.5:8080
die after op 1
run 3s
expect drain 10.1.0.5:8080 keep; rs 10.1.0.5:8080 weight 0; conn c1 open
restart
run 3s
reset c1
die before op 1
run 20s
expect rs 10.1.0.5:8080 none; drain none; conn c1 over
