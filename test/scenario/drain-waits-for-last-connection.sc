# A server that leaves gets weight 0, and is deleted when the kernel counted nothing on it twice.
service web/http 10.96.0.10:80/tcp
endpoint web/http 10.1.0.5:8080
endpoint web/http 10.1.0.6:8080
pass
expect ops guard 10.96.0.10, addr-add 10.96.0.10, vs-add 10.96.0.10:80/tcp, rs-add 10.1.0.5:8080 10.1.0.6:8080, serve 10.96.0.10:80/tcp
expect rs 10.1.0.5:8080 weight 1; journal vs 10.96.0.10:80/tcp; journal addr 10.96.0.10; state 10.96.0.10:80/tcp serving
connect c1 10.96.0.10:80/tcp to 10.1.0.5:8080
remove endpoint web/http 10.1.0.5:8080
pass
expect ops rs-zero 10.1.0.5:8080
expect drain 10.1.0.5:8080 settle
clock +10ms
pass
expect ops none; drain 10.1.0.5:8080 keep
clock +7s
pass
expect ops none; drain 10.1.0.5:8080 keep; journal drain 10.1.0.5:8080
connect c2 10.96.0.10:80/tcp to 10.1.0.6:8080
reset c1
run 10s
clock +1s
clock +10ms
pass
expect ops rs-del 10.1.0.5:8080; drain none; outcome 10.1.0.5:8080 empty; conn c1 over; conn c2 open; journal drain 10.1.0.5:8080 none
