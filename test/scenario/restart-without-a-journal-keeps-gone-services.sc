# Without a journal a virtual server that nobody wants cannot be proven to be ours: it stays.
service web/http 10.96.0.10:80/tcp
endpoint web/http 10.1.0.5:8080
service old/http 10.96.0.20:80/tcp
endpoint old/http 10.1.0.8:8080
pass
connect c1 10.96.0.20:80/tcp
restart without-journal
theirs 10.96.0.20:80/tcp
remove service old
remove slice old-http-8080-2
pass
run 120s
expect vs 10.96.0.20:80/tcp; conn c1 open; rs 10.1.0.8:8080 weight 1
no-fault a death before its restart reads the removal with a journal
