# No journal; A and B are at weight 0 and wanted, X is not wanted: weight edits in place, X drains.
foreign vs-add 10.96.0.10:80/tcp
foreign rs-add 10.96.0.10:80/tcp 10.1.0.5:8080 0
foreign rs-add 10.96.0.10:80/tcp 10.1.0.6:8080 0
foreign rs-add 10.96.0.10:80/tcp 10.1.0.9:8080 1
foreign addr-add 10.96.0.10
ours 10.96.0.10:80/tcp
connect c1 10.96.0.10:80/tcp to 10.1.0.9:8080
straggler c2 10.96.0.10:80/tcp 10.1.0.5:8080
service web/http 10.96.0.10:80/tcp
endpoint web/http 10.1.0.5:8080
endpoint web/http 10.1.0.6:8080
pass
expect ops rs-raise 10.1.0.5:8080 10.1.0.6:8080, rs-zero 10.1.0.9:8080
expect served 10.96.0.10:80/tcp; conn c1 open; conn c2 open; drain count 1; journal vs 10.96.0.10:80/tcp
run 1ms
pass
expect drain 10.1.0.9:8080 settle
run 9s
pass
pass
expect drain 10.1.0.9:8080 keep; conn c1 open
