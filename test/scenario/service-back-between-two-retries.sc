# A Service comes back, and is gone again, while a failure holds its virtual server: its drains have the whole time from then on.
option service-drain-limit 60s
service web/http 10.96.0.10:80/tcp
endpoint web/http 10.1.0.5:8080
pass
connect a 10.96.0.10:80/tcp to 10.1.0.5:8080
fail rs-zero ENOMEM 10
remove service web
run 55s
expect rs 10.1.0.5:8080 weight 1
service web/http 10.96.0.10:80/tcp
run 1s
remove service web
run 40s
expect rs 10.1.0.5:8080 weight 0; conn a open
run 60s
expect outcome 10.1.0.5:8080 service-gone cut 1; cut a
