# A foreign hand puts a draining server back into service: it drains anew, with a limit from then on, also if the process ends right behind that.
option drain-limit 60s
service web/http 10.96.0.10:80/tcp
endpoint web/http 10.1.0.5:8080
endpoint web/http 10.1.0.6:8080
pass
connect c1 10.96.0.10:80/tcp to 10.1.0.5:8080
remove endpoint web/http 10.1.0.5:8080
run 50s
expect drain 10.1.0.5:8080 keep; journal drain 10.1.0.5:8080
quietly rs-set 10.96.0.10:80/tcp 10.1.0.5:8080 1
die after op 1
run 5s
restart
run 50s
expect conn c1 open; rs 10.1.0.5:8080 weight 0 active 1
run 20s
expect cut c1; outcome 10.1.0.5:8080 limit cut 1
