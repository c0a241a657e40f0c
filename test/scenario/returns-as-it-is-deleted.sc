# It is wanted again just when the drain reached zero: it is there afterwards.
service web/http 10.96.0.10:80/tcp
endpoint web/http 10.1.0.5:8080
endpoint web/http 10.1.0.6:8080
pass
remove endpoint web/http 10.1.0.5:8080
pass
at rs-del endpoint web/http 10.1.0.5:8080
run 5s
expect rs 10.1.0.5:8080 weight 1
remove endpoint web/http 10.1.0.5:8080
pass
at read endpoint web/http 10.1.0.5:8080
run 5s
expect rs 10.1.0.5:8080 weight 1; drain none
