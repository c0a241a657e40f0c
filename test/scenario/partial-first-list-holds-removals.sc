# Part of the first list cannot be read: what is new comes, nothing is zeroed or deleted; then it is made good.
service web/http 10.96.0.10:80/tcp
endpoint web/http 10.1.0.5:8080
endpoint web/http 10.1.0.6:8080
service gone/http 10.96.0.20:80/tcp
endpoint gone/http 10.1.0.8:8080
pass
connect c1 10.96.0.20:80/tcp
restart
remove service gone
remove slice gone-http-8080-2
remove endpoint web/http 10.1.0.5:8080
endpoint web/http 10.1.0.7:8080
sync later
sync partial
pass
expect ops rs-add 10.1.0.7:8080
run 100s
expect messages 0; rs 10.1.0.5:8080 weight 1; served 10.96.0.20:80/tcp; conn c1 open
sync
pass
expect ops unserve 10.96.0.20:80/tcp, rs-zero 10.1.0.5:8080 10.1.0.8:8080; problem none
run 30s
expect conn c1 open; rs 10.1.0.5:8080 none; rs 10.1.0.8:8080 weight 0
reset c1
no-fault a death after its restart waits for lists that were said to be complete
