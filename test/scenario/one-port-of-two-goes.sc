# The port drains and goes, the other port and the address are not touched.
service web/http 10.96.0.10:80/tcp
service web/https 10.96.0.10:443/tcp
endpoint web/http 10.1.0.5:8080
endpoint web/https 10.1.0.5:8443
pass
connect c1 10.96.0.10:80/tcp
connect c2 10.96.0.10:443/tcp
remove port web/http
pass
expect ops unserve 10.96.0.10:80/tcp, rs-zero 10.1.0.5:8080; refused 10.96.0.10:80/tcp; conn c1 open; address 10.96.0.10 pinged
reset c1
run 20s
expect ops rs-del 10.1.0.5:8080, vs-del 10.96.0.10:80/tcp; served 10.96.0.10:443/tcp; conn c2 open; address 10.96.0.10 bound guarded pinged
run 30s
expect ops none; refused 10.96.0.10:80/tcp
