# Gone at 0, back at 10 s: at 60 s it is in service (nothing that was queued deletes it).
service web/http 10.96.0.10:80/tcp
endpoint web/http 10.1.0.5:8080
endpoint web/http 10.1.0.6:8080
pass
connect c1 10.96.0.10:80/tcp to 10.1.0.5:8080
remove endpoint web/http 10.1.0.5:8080
run 10s
endpoint web/http 10.1.0.5:8080
run 20s
reset c1
run 30s
expect rs 10.1.0.5:8080 weight 1; messages 0; drain none
