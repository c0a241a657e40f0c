# The limit of a Service that went goes on over a restart, and so does the linger time.
service web/http 10.96.0.10:80/tcp
endpoint web/http 10.1.0.5:8080
service other/http 10.96.0.11:80/tcp
endpoint other/http 10.1.0.7:8080
pass
connect c1 10.96.0.10:80/tcp
remove service web
run 40s
restart
run 19s
expect conn c1 open; vs 10.96.0.10:80/tcp
run 2s
expect cut c1; vs 10.96.0.10:80/tcp none; address 10.96.0.10 bound
restart
run 5s
expect address 10.96.0.10 bound guarded
run 6s
expect address 10.96.0.10 none
