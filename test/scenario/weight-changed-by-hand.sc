# Weights are ours: a foreign 0 is raised, a foreign raise of what drains is zeroed anew and drains anew.
service web/http 10.96.0.10:80/tcp
endpoint web/http 10.1.0.5:8080
endpoint web/http 10.1.0.6:8080
pass
foreign rs-set 10.96.0.10:80/tcp 10.1.0.6:8080 0
run 31s
expect rs 10.1.0.6:8080 weight 1; log drift
connect c1 10.96.0.10:80/tcp to 10.1.0.5:8080
remove endpoint web/http 10.1.0.5:8080
run 3s
foreign rs-set 10.96.0.10:80/tcp 10.1.0.5:8080 3
run 2s
expect ops rs-zero 10.1.0.5:8080; conn c1 open; drain count 1
run 3s
expect drain 10.1.0.5:8080 keep
