# Nothing is open: it is over in a moment, but the address lingers.
service web/http 10.96.0.10:80/tcp
endpoint web/http 10.1.0.5:8080
service other/http 10.96.0.11:80/tcp
endpoint other/http 10.1.0.7:8080
pass
remove service web
run 1s
expect ops unserve 10.96.0.10:80/tcp, rs-zero 10.1.0.5:8080, rs-del 10.1.0.5:8080, vs-del 10.96.0.10:80/tcp; address 10.96.0.10 bound guarded
run 10s
expect ops addr-del 10.96.0.10, unguard 10.96.0.10
run 10s
expect served 10.96.0.11:80/tcp
