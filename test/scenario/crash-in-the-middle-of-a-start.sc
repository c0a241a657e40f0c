# The process ends between the operations of its first pass: the next one finishes what it began.
service web/http 10.96.0.10:80/tcp
service web/https 10.96.0.10:443/tcp
endpoint web/http 10.1.0.5:8080
endpoint web/https 10.1.0.5:8443
die after op 2
pass
die before op 1
pass
expect served 10.96.0.10:80/tcp; served 10.96.0.10:443/tcp; address 10.96.0.10 bound guarded pinged; journal addr 10.96.0.10
