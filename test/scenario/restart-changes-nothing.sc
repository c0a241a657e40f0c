# Stop and start over an unchanged world: reads, but no message; a drain goes on with its age.
service web/http 10.96.0.10:80/tcp
endpoint web/http 10.1.0.5:8080
endpoint web/http 10.1.0.6:8080
pass
connect c1 10.96.0.10:80/tcp to 10.1.0.5:8080
remove endpoint web/http 10.1.0.5:8080
pass
run 20s
restart
pass
expect messages 0; drain count 1
run 5s
expect messages 0; drain 10.1.0.5:8080 keep; conn c1 open
reset c1
run 12s
expect ops rs-del 10.1.0.5:8080; outcome 10.1.0.5:8080 empty
