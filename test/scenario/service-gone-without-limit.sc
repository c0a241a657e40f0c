# Without a limit it waits for the last connection.
option service-drain-limit none
service web/http 10.96.0.10:80/tcp
endpoint web/http 10.1.0.5:8080
pass
connect c1 10.96.0.10:80/tcp
remove service web
run 600s
expect conn c1 open; vs 10.96.0.10:80/tcp
reset c1
run 30s
expect vs 10.96.0.10:80/tcp none; address 10.96.0.10 none
