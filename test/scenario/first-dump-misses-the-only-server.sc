# The first dump after a restart is empty, though a connection is left: it is no proof, the virtual server is not deleted.
service web/http 10.96.0.10:80/tcp
endpoint web/http 10.1.0.5:8080
pass
connect c1 10.96.0.10:80/tcp
remove service web
run 2s
skip-row 10.96.0.10:80/tcp 10.1.0.5:8080 1
restart
run 5s
expect conn c1 open; vs 10.96.0.10:80/tcp; drain 10.1.0.5:8080 keep
reset c1
run 15s
expect vs 10.96.0.10:80/tcp none
