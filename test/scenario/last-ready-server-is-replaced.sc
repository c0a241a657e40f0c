# Add before remove, both ways: no instant without a candidate.
service web/http 10.96.0.10:80/tcp
endpoint web/http 10.1.0.5:8080
pass
endpoint web/http 10.1.0.6:8080
remove endpoint web/http 10.1.0.5:8080
pass
expect ops rs-add 10.1.0.6:8080, rs-zero 10.1.0.5:8080
remove endpoint web/http 10.1.0.6:8080
endpoint web/http 10.1.0.5:8080
pass
expect ops rs-raise 10.1.0.5:8080, rs-zero 10.1.0.6:8080; readds 0
