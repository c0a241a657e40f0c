# Somebody deletes what drains: the drain is lost, and a server that is wanted again is there.
service web/http 10.96.0.10:80/tcp
endpoint web/http 10.1.0.5:8080
endpoint web/http 10.1.0.6:8080
pass
connect c1 10.96.0.10:80/tcp to 10.1.0.5:8080
remove endpoint web/http 10.1.0.5:8080
pass
run 2s
foreign rs-del 10.96.0.10:80/tcp 10.1.0.5:8080
run 2s
expect drain none; outcome 10.1.0.5:8080 lost; ops rs-zero 10.1.0.5:8080!ENOENT; conn c1 cut; journal drain 10.1.0.5:8080 none
endpoint web/http 10.1.0.5:8080
pass
expect ops rs-add 10.1.0.5:8080
