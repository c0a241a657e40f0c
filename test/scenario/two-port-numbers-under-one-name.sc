# One address with two target ports is two real servers.
service web/http 10.96.0.10:80/tcp
endpoint web/http 10.1.0.5:8080
endpoint web/http 10.1.0.5:9090
pass
expect rs 10.1.0.5:8080 weight 1; rs 10.1.0.5:9090 weight 1
remove endpoint web/http 10.1.0.5:9090
pass
expect ops rs-zero 10.1.0.5:9090
