# Which of the two limits comes first ends it, and says so.
option drain-limit 30s
option service-drain-limit 60s
service web/http 10.96.0.10:80/tcp
service db/sql 10.96.0.20:5432/tcp service-drain-limit 10s
endpoint web/http 10.1.0.5:8080
endpoint db/sql 10.1.1.5:5432
pass
connect a 10.96.0.10:80/tcp to 10.1.0.5:8080
connect b 10.96.0.20:5432/tcp to 10.1.1.5:5432
remove service web
remove service db
run 11s
expect outcome 10.1.1.5:5432 service-gone cut 1; cut b; conn a open
run 20s
expect outcome 10.1.0.5:8080 limit cut 1; cut a
