# FIN_WAIT counts as inactive but still carries data: waited for.
service web/http 10.96.0.10:80/tcp
endpoint web/http 10.1.0.5:8080
endpoint web/http 10.1.0.6:8080
pass
connect c1 10.96.0.10:80/tcp to 10.1.0.5:8080
remove endpoint web/http 10.1.0.5:8080
run 2s
fin c1
run 100s
send c1
run 100s
expect conn c1 half-closed; drain 10.1.0.5:8080 keep; rs 10.1.0.5:8080 weight 0 inactive 1
run 25s
expect rs 10.1.0.5:8080 none; outcome 10.1.0.5:8080 empty
