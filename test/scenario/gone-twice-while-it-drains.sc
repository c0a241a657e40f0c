# A Service that came back without endpoints for a moment, while its last server drained: its limit begins anew, also for the next process.
service web/http 10.96.0.10:80/tcp
endpoint web/http 10.1.0.5:8080
pass
connect c1 10.96.0.10:80/tcp
remove service web
run 20s
expect journal gone 10.96.0.10:80/tcp
remove endpoint web/http 10.1.0.5:8080
service web/http 10.96.0.10:80/tcp
pass
expect ops none; journal gone 10.96.0.10:80/tcp none
run 30s
remove service web
pass
expect ops none; journal gone 10.96.0.10:80/tcp
run 5s
restart
run 30s
expect conn c1 open; drain 10.1.0.5:8080 keep
run 30s
expect cut c1; outcome 10.1.0.5:8080 service-gone
