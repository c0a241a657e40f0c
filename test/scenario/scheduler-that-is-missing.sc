# A scheduler that the kernel lacks: that Service keeps the one it has, and its backends go on coming and leaving. Said once.
service web/http 10.96.0.10:80/tcp
service db/sql 10.96.0.20:5432/tcp
endpoint web/http 10.1.0.5:8080
endpoint db/sql 10.1.1.5:5432
pass
connect a 10.96.0.10:80/tcp to 10.1.0.5:8080
fail vs-set ENOENT 4
service web/http 10.96.0.10:80/tcp scheduler sh
endpoint web/http 10.1.0.6:8080
pass
expect vs 10.96.0.10:80/tcp sched rr; rs 10.1.0.6:8080 weight 1; log this kernel has no such scheduler; problem no scheduler sh
endpoint db/sql 10.1.1.6:5432
remove endpoint web/http 10.1.0.5:8080
pass
expect rs 10.1.1.6:5432 weight 1; rs 10.1.0.5:8080 weight 0; conn a open
run 5s
expect vs 10.96.0.10:80/tcp sched sh; problem none; conn a open
