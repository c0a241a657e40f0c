# Terminating, then gone from its slice, then the slice made anew: the transfer goes on all the time.
service web/http 10.96.0.10:80/tcp
endpoint web/http 10.1.0.5:8080
endpoint web/http 10.1.0.6:8080
pass
connect c1 10.96.0.10:80/tcp to 10.1.0.5:8080
endpoint web/http 10.1.0.5:8080 terminating
pass
expect ops rs-zero 10.1.0.5:8080
remove endpoint web/http 10.1.0.5:8080
pass
expect ops none
run 60s
send c1
expect conn c1 open; ops none; rs 10.1.0.5:8080 weight 0 active 1
connect c2 10.96.0.10:80/tcp to 10.1.0.6:8080
remove slice web-http-8080-2
pass
endpoint web/http 10.1.0.6:8080
pass
expect ops rs-raise 10.1.0.6:8080, serve 10.96.0.10:80/tcp
expect conn c1 open; conn c2 open
close c1
run 119s
expect rs 10.1.0.5:8080 weight 0 inactive 1; conn c1 closed
run 3s
expect ops rs-del 10.1.0.5:8080; conn c1 over; outcome 10.1.0.5:8080 empty
