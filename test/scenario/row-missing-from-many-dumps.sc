# Dumps that skip a server again and again are no proof: it is edited by name, and only ENOENT says that it is gone.
service web/http 10.96.0.10:80/tcp
service gone/http 10.96.0.11:80/tcp
endpoint web/http 10.1.0.5:8080
endpoint web/http 10.1.0.6:8080
endpoint gone/http 10.1.0.7:8080
pass
connect c1 10.96.0.10:80/tcp to 10.1.0.5:8080
connect c2 10.96.0.11:80/tcp to 10.1.0.7:8080
remove endpoint web/http 10.1.0.5:8080
remove service gone
run 2s
skip-row 10.96.0.10:80/tcp 10.1.0.5:8080 2
skip-row 10.96.0.10:80/tcp 10.1.0.6:8080 2
skip-row 10.96.0.11:80/tcp 10.1.0.7:8080 2
run 1500ms
expect ops rs-raise 10.1.0.6:8080, rs-zero 10.1.0.5:8080, rs-zero 10.1.0.7:8080; outcome none; drain 10.1.0.5:8080 keep; drain 10.1.0.7:8080 keep
run 20s
expect ops none; conn c1 open; conn c2 open; journal drain 10.1.0.5:8080
run 40s
expect cut c2; outcome 10.1.0.7:8080 service-gone; conn c1 open
