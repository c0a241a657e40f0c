# The node's limit, a Service's own, and one that has none.
option drain-limit 60s
service web/http 10.96.0.10:80/tcp
service slow/http 10.96.0.11:80/tcp drain-limit 10m
service patient/http 10.96.0.12:80/tcp drain-limit none
endpoint web/http 10.1.0.5:8080
endpoint web/http 10.1.0.6:8080
endpoint slow/http 10.1.1.5:8080
endpoint slow/http 10.1.1.6:8080
endpoint patient/http 10.1.2.5:8080
endpoint patient/http 10.1.2.6:8080
pass
connect a 10.96.0.10:80/tcp to 10.1.0.5:8080
connect b 10.96.0.11:80/tcp to 10.1.1.5:8080
connect c 10.96.0.12:80/tcp to 10.1.2.5:8080
remove endpoint web/http 10.1.0.5:8080
remove endpoint slow/http 10.1.1.5:8080
remove endpoint patient/http 10.1.2.5:8080
run 59s
expect drain count 3; cut none
# A restart does not begin the limit anew.
restart
run 2s
expect rs 10.1.0.5:8080 none; outcome 10.1.0.5:8080 limit cut 1; cut a; conn b open; conn c open
send b
send c
# What was recorded when the drain began holds, whatever the Service says now.
service slow/http 10.96.0.11:80/tcp drain-limit none
run 9m
expect rs 10.1.1.5:8080 none; outcome 10.1.1.5:8080 limit cut 1; cut b
send c
run 10m
send c
expect rs 10.1.2.5:8080 weight 0 active 1; conn c open
