# With a journal, a virtual server under a key that we want and did not make is left alone and reported.
service web/http 10.96.0.10:80/tcp
endpoint web/http 10.1.0.5:8080
pass
foreign vs-add 10.96.0.20:80/tcp wlc
foreign rs-add 10.96.0.20:80/tcp 10.9.0.1:80 4
service new/http 10.96.0.20:80/tcp
endpoint new/http 10.1.0.8:8080
run 100s
expect vs 10.96.0.20:80/tcp sched wlc; rs 10.9.0.1:80 weight 4; rs 10.1.0.8:8080 none; state 10.96.0.20:80/tcp foreign; problem 10.96.0.20:80/tcp
foreign vs-del 10.96.0.20:80/tcp
run 100s
expect vs 10.96.0.20:80/tcp sched rr; rs 10.1.0.8:8080 weight 1; state 10.96.0.20:80/tcp serving; problem none
no-fault a death in its first pass leaves no journal to go by
