# Somebody flushes IPVS and the addresses: while both are repaired no port of the node answers on the service address.
service web/http 10.96.0.10:80/tcp
endpoint web/http 10.1.0.5:8080
pass
expect served 10.96.0.10:80/tcp
foreign flush-vs
foreign flush-addresses
run 40s
expect rs 10.1.0.5:8080 weight 1; served 10.96.0.10:80/tcp
