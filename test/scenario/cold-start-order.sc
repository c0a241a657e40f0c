# Guard before the address is local, then the virtual server, its real servers, and only then new connections.
service web/http 10.96.0.10:80/tcp
service web/https 10.96.0.10:443/tcp
service dns/dns 10.96.0.53:53/udp
endpoint web/http 10.1.0.5:8080
endpoint web/https 10.1.0.5:8443
endpoint dns/dns 10.1.0.7:5353
pass
expect ops guard 10.96.0.10 10.96.0.53, addr-add 10.96.0.10 10.96.0.53, vs-add 10.96.0.10:80/tcp 10.96.0.10:443/tcp 10.96.0.53:53/udp, rs-add 10.1.0.5:8080 10.1.0.5:8443 10.1.0.7:5353, serve 10.96.0.10:80/tcp 10.96.0.10:443/tcp 10.96.0.53:53/udp
expect exposed none; device; filter intact; address 10.96.0.10 bound guarded pinged
expect refused 10.96.0.10:22/tcp; refused 10.96.0.53:53/tcp; unreachable 10.96.0.99:80/tcp
