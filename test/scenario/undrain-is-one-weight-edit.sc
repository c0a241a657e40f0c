# An endpoint that comes back during its drain gets its weight back in place: nothing is deleted, nothing cut.
service web/http 10.96.0.10:80/tcp
endpoint web/http 10.1.0.5:8080
endpoint web/http 10.1.0.6:8080
pass
connect c1 10.96.0.10:80/tcp to 10.1.0.5:8080
remove endpoint web/http 10.1.0.5:8080
pass
run 5s
expect drain 10.1.0.5:8080 keep
endpoint web/http 10.1.0.5:8080
pass
expect ops rs-raise 10.1.0.5:8080; messages 1; readds 0; remembered 0; drain none; outcome 10.1.0.5:8080 undrained; conn c1 open
expect rs 10.1.0.5:8080 weight 1 active 1; journal drain 10.1.0.5:8080 none
