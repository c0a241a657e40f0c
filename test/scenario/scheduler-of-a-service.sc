# A Service's own scheduler, changed in place; sh and mh fall back when a server has weight 0.
service web/http 10.96.0.10:80/tcp scheduler mh
service db/sql 10.96.0.20:5432/tcp
endpoint web/http 10.1.0.5:8080
endpoint db/sql 10.1.1.5:5432
pass
expect vs 10.96.0.10:80/tcp sched mh; vs 10.96.0.20:5432/tcp sched rr
connect a 10.96.0.10:80/tcp to 10.1.0.5:8080
service web/http 10.96.0.10:80/tcp scheduler lc
pass
expect ops vs-set 10.96.0.10:80/tcp; vs 10.96.0.10:80/tcp sched lc; conn a open
