# The kernel forgets a connection after 900 idle seconds: the drain ends and says so.
service web/http 10.96.0.10:80/tcp
endpoint web/http 10.1.0.5:8080
endpoint web/http 10.1.0.6:8080
pass
connect c1 10.96.0.10:80/tcp to 10.1.0.5:8080
remove endpoint web/http 10.1.0.5:8080
run 899s
expect rs 10.1.0.5:8080 weight 0
run 3s
expect ops rs-del 10.1.0.5:8080; outcome 10.1.0.5:8080 idle-expired; conn c1 forgotten
