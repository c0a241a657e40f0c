# Just before the delete a new client finds another server.
service web/http 10.96.0.10:80/tcp
endpoint web/http 10.1.0.5:8080
endpoint web/http 10.1.0.6:8080
pass
at rs-del connect c1 10.96.0.10:80/tcp to 10.1.0.6:8080
remove endpoint web/http 10.1.0.5:8080
pass
run 2s
expect ops rs-zero 10.1.0.5:8080, rs-del 10.1.0.5:8080; conn c1 open
