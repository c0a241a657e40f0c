# A client of the drained server goes elsewhere at its next connection; its template holds nothing.
service web/http 10.96.0.10:80/tcp affinity 600s
endpoint web/http 10.1.0.5:8080
endpoint web/http 10.1.0.6:8080
pass
connect c1 10.96.0.10:80/tcp to 10.1.0.5:8080 from alice
connect c2 10.96.0.10:80/tcp to 10.1.0.5:8080 from alice
reset c1
remove endpoint web/http 10.1.0.5:8080
pass
connect c3 10.96.0.10:80/tcp to 10.1.0.6:8080 from alice
reset c2
run 12s
expect ops rs-del 10.1.0.5:8080; conn c3 open; drain none
