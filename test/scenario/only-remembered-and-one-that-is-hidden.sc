# conntrack was flushed, and does not show one that is half-closed and alive: the others are forgotten one after the other, and never is
# what is left taken for over.
service web/http 10.96.0.10:80/tcp drain-until ignore-time-wait
endpoint web/http 10.1.0.5:8080
pass
connect live 10.96.0.10:80/tcp to 10.1.0.5:8080
connect a 10.96.0.10:80/tcp to 10.1.0.5:8080
connect b 10.96.0.10:80/tcp to 10.1.0.5:8080
connect c 10.96.0.10:80/tcp to 10.1.0.5:8080
connect d 10.96.0.10:80/tcp to 10.1.0.5:8080
fin live
untrack live
reset a
endpoint web/http 10.1.0.6:8080
remove endpoint web/http 10.1.0.5:8080
run 2300ms
reset b
run 1700ms
reset c
run 2100ms
reset d
run 30s
expect rs 10.1.0.5:8080 weight 0 inactive 1; conn live half-closed; cut none
run 95s
expect outcome 10.1.0.5:8080 empty; cut none
