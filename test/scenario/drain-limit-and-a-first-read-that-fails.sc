# One of two that drain cannot be read at the start for a while: its limit does not begin anew when it can.
option drain-limit 60s
service web/http 10.96.0.10:80/tcp
service db/sql 10.96.0.20:5432/tcp
endpoint web/http 10.1.0.5:8080
endpoint web/http 10.1.0.6:8080
endpoint db/sql 10.1.1.5:5432
endpoint db/sql 10.1.1.6:5432
pass
connect a 10.96.0.10:80/tcp to 10.1.0.5:8080
connect b 10.96.0.20:5432/tcp to 10.1.1.5:5432
remove endpoint web/http 10.1.0.5:8080
remove endpoint db/sql 10.1.1.5:5432
run 50s
restart
at read interrupt 1
pass
expect drain count 1
run 9s
expect drain count 2; conn a open; conn b open
run 2s
expect outcome 10.1.0.5:8080 limit cut 1; outcome 10.1.1.5:5432 limit cut 1; cut a; cut b
