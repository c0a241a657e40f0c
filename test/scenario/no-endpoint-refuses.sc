# A Service without a ready server has its virtual server and is not served.
service web/http 10.96.0.10:80/tcp
pass
expect ops guard 10.96.0.10, addr-add 10.96.0.10, vs-add 10.96.0.10:80/tcp; refused 10.96.0.10:80/tcp; state 10.96.0.10:80/tcp refusing
endpoint web/http 10.1.0.5:8080 notready
pass
expect ops none
endpoint web/http 10.1.0.5:8080
pass
expect ops rs-add 10.1.0.5:8080, serve 10.96.0.10:80/tcp
connect c1 10.96.0.10:80/tcp
endpoint web/http 10.1.0.5:8080 notready
pass
expect ops unserve 10.96.0.10:80/tcp, rs-zero 10.1.0.5:8080; refused 10.96.0.10:80/tcp; conn c1 open
