# Another scheduler after a restart: edited in place.
service web/http 10.96.0.10:80/tcp
endpoint web/http 10.1.0.5:8080
pass
connect c1 10.96.0.10:80/tcp
option sched wlc
restart
pass
expect ops vs-set 10.96.0.10:80/tcp; vs 10.96.0.10:80/tcp sched wlc; conn c1 open
