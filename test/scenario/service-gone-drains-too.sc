# Weights 0, refused at once, virtual server and address stay; bounded by 60 s; 10 s of refusing afterwards.
service web/http 10.96.0.10:80/tcp
service other/http 10.96.0.11:80/tcp
endpoint web/http 10.1.0.5:8080
endpoint web/http 10.1.0.6:8080
endpoint other/http 10.1.0.7:8080
pass
connect c1 10.96.0.10:80/tcp to 10.1.0.5:8080
connect c2 10.96.0.10:80/tcp to 10.1.0.6:8080
remove service web
pass
expect ops unserve 10.96.0.10:80/tcp, rs-zero 10.1.0.5:8080 10.1.0.6:8080; refused 10.96.0.10:80/tcp; address 10.96.0.10 bound guarded unpinged
expect conn c1 open; vs 10.96.0.10:80/tcp; state 10.96.0.10:80/tcp draining; journal gone 10.96.0.10:80/tcp
reset c2
run 30s
expect ops rs-del 10.1.0.6:8080; conn c1 open; outcome 10.1.0.6:8080 empty
run 29900ms
expect ops none; conn c1 open
run 200ms
expect ops rs-del 10.1.0.5:8080, vs-del 10.96.0.10:80/tcp; cut c1; outcome 10.1.0.5:8080 service-gone cut 1
expect address 10.96.0.10 bound guarded; refused 10.96.0.10:80/tcp; journal linger 10.96.0.10; journal vs 10.96.0.10:80/tcp none
run 9s
expect ops none; address 10.96.0.10 bound guarded
run 2s
expect ops addr-del 10.96.0.10, unguard 10.96.0.10; address 10.96.0.10 none; journal linger 10.96.0.10 none; journal addr 10.96.0.10 none
