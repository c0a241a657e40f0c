# The Service went while no process ran: with the journal it is ours, and drains.
service web/http 10.96.0.10:80/tcp
endpoint web/http 10.1.0.5:8080
service other/http 10.96.0.11:80/tcp
endpoint other/http 10.1.0.7:8080
pass
connect c1 10.96.0.10:80/tcp
restart
remove service web
remove slice web-http-8080-2
pass
expect ops unserve 10.96.0.10:80/tcp, rs-zero 10.1.0.5:8080; conn c1 open; refused 10.96.0.10:80/tcp
run 10s
reset c1
run 30s
expect vs 10.96.0.10:80/tcp none; address 10.96.0.10 none; journal vs 10.96.0.10:80/tcp none
