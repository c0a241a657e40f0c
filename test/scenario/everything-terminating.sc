# No ready server left: those that still serve go on; as soon as one is ready the others leave, add first.
service web/http 10.96.0.10:80/tcp
endpoint web/http 10.1.0.5:8080 terminating
endpoint web/http 10.1.0.6:8080 terminating
pass
expect rs 10.1.0.5:8080 weight 1; rs 10.1.0.6:8080 weight 1; served 10.96.0.10:80/tcp
endpoint web/http 10.1.0.5:8080 dying
pass
expect ops rs-zero 10.1.0.5:8080
endpoint web/http 10.1.0.6:8080 dying
pass
run 1s
expect served none; refused 10.96.0.10:80/tcp
endpoint web/http 10.1.0.6:8080 terminating
pass
expect served 10.96.0.10:80/tcp
connect c1 10.96.0.10:80/tcp to 10.1.0.6:8080
endpoint web/http 10.1.0.7:8080
pass
expect ops rs-add 10.1.0.7:8080, rs-zero 10.1.0.6:8080; conn c1 open
endpoint web/http 10.1.0.7:8080 notready
pass
expect ops rs-raise 10.1.0.6:8080, rs-zero 10.1.0.7:8080; conn c1 open
