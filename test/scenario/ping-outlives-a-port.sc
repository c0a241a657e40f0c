# One port of an address goes while another comes back: the address is answered to ping all the time, and nothing is sent twice.
service web/http 10.96.0.10:80/tcp
endpoint web/http 10.1.0.5:8080
pass
connect c1 10.96.0.10:80/tcp
service web/http 10.96.0.10:81/tcp
pass
expect address 10.96.0.10 pinged; served 10.96.0.10:81/tcp
connect c2 10.96.0.10:81/tcp
service web/http 10.96.0.10:80/tcp
pass
expect ops rs-raise 10.1.0.5:8080, serve 10.96.0.10:80/tcp, unserve 10.96.0.10:81/tcp, rs-zero 10.1.0.5:8080
expect address 10.96.0.10 pinged; served 10.96.0.10:80/tcp; conn c1 open; conn c2 open
