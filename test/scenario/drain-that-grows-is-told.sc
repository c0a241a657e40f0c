# The sysctls do not hold: a client that uses a port again, or has an affinity, feeds the server that drains. Said once.
service web/http 10.96.0.10:80/tcp
endpoint web/http 10.1.0.5:8080
endpoint web/http 10.1.0.6:8080
pass
counters 10.1.0.5:8080 active 2 inactive 0
remove endpoint web/http 10.1.0.5:8080
run 5s
counters 10.1.0.5:8080 active 1 inactive 1
run 2s
expect drain 10.1.0.5:8080 keep
counters 10.1.0.5:8080 active 3 inactive 0
run 2s
expect log it gets connections although its weight is 0
counters 10.1.0.5:8080 active 0 inactive 0
run 3s
expect outcome 10.1.0.5:8080 idle-expired
