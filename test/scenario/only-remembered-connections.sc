# A Service whose drains ignore connections that are over: TIME_WAIT does not hold them, a half-closed one does.
service web/http 10.96.0.10:80/tcp drain-until ignore-time-wait
service db/sql 10.96.0.20:5432/tcp
endpoint web/http 10.1.0.5:8080
endpoint web/http 10.1.0.6:8080
endpoint db/sql 10.1.1.5:5432
endpoint db/sql 10.1.1.6:5432
pass
connect a 10.96.0.10:80/tcp to 10.1.0.5:8080
connect b 10.96.0.10:80/tcp to 10.1.0.6:8080
connect c 10.96.0.20:5432/tcp to 10.1.1.5:5432
remove endpoint web/http 10.1.0.5:8080
remove endpoint web/http 10.1.0.6:8080
endpoint web/http 10.1.0.7:8080
remove endpoint db/sql 10.1.1.5:5432
run 3s
expect drain count 3
close a
fin b
close c
run 3s
expect outcome 10.1.0.5:8080 empty cut 0; rs 10.1.0.5:8080 none; rs 10.1.0.6:8080 weight 0 inactive 1; rs 10.1.1.5:5432 weight 0 inactive 1
expect conn b half-closed; cut none
run 125s
expect drain none; outcome 10.1.0.6:8080 empty; outcome 10.1.1.5:5432 empty
