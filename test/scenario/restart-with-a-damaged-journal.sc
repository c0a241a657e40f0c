# A damaged journal is none: what is wanted is adopted in place, drains go on, nothing is deleted.
service web/http 10.96.0.10:80/tcp
endpoint web/http 10.1.0.5:8080
endpoint web/http 10.1.0.6:8080
pass
connect c1 10.96.0.10:80/tcp to 10.1.0.5:8080
remove endpoint web/http 10.1.0.5:8080
pass
run 2s
restart damaged-journal
pass
expect messages 0; log damaged; journal vs 10.96.0.10:80/tcp; journal addr 10.96.0.10
run 3s
expect drain 10.1.0.5:8080 keep; conn c1 open
