# It drains, was counted zero once, is raised by hand and gets a client; dumps miss it. Set to 0 by name, it has to be counted twice again.
service web/http 10.96.0.10:80/tcp
endpoint web/http 10.1.0.5:8080
endpoint web/http 10.1.0.6:8080
pass
remove endpoint web/http 10.1.0.5:8080
pass
clock +10ms
skip-row 10.96.0.10:80/tcp 10.1.0.5:8080 2
quietly rs-set 10.96.0.10:80/tcp 10.1.0.5:8080 1
clock +10ms
expect ops rs-zero 10.1.0.5:8080
straggler c1 10.96.0.10:80/tcp 10.1.0.5:8080
run 5s
expect conn c1 open; drain 10.1.0.5:8080 keep
reset c1
run 15s
expect rs 10.1.0.5:8080 none
