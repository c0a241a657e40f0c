# The same table, B alone is wanted.
foreign vs-add 10.96.0.10:80/tcp
foreign rs-add 10.96.0.10:80/tcp 10.1.0.5:8080 0
foreign rs-add 10.96.0.10:80/tcp 10.1.0.6:8080 0
foreign rs-add 10.96.0.10:80/tcp 10.1.0.9:8080 1
foreign addr-add 10.96.0.10
ours 10.96.0.10:80/tcp
straggler c2 10.96.0.10:80/tcp 10.1.0.5:8080
service web/http 10.96.0.10:80/tcp
endpoint web/http 10.1.0.6:8080
pass
expect ops rs-raise 10.1.0.6:8080, rs-zero 10.1.0.9:8080; drain count 2
run 5s
expect rs 10.1.0.9:8080 none; rs 10.1.0.5:8080 weight 0; rs 10.1.0.6:8080 weight 1
