# How a Service's backends leave is remembered: it goes while no process runs, and its own limits hold.
service web/http 10.96.0.10:80/tcp service-drain-limit 10m
service dns/dns 10.96.0.53:53/udp drain-limit 5m
option drain-protocols tcp,udp
endpoint web/http 10.1.0.5:8080
endpoint dns/dns 10.1.0.7:5353
pass
connect a 10.96.0.10:80/tcp to 10.1.0.5:8080
connect q 10.96.0.53:53/udp to 10.1.0.7:5353
restart
remove service web
remove service dns
run 2m
expect conn a open; rs 10.1.0.5:8080 weight 0 active 1; outcome 10.1.0.7:5353 service-gone cut 1
send a
run 7m
expect conn a open
send a
run 2m
expect outcome 10.1.0.5:8080 service-gone cut 1; cut a
