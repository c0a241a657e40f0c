# The address of a pod whose connections drain is given to a pod of another Service. Neighbours on another port stay.
service web/http 10.96.0.10:80/tcp
service web/admin 10.96.0.10:81/tcp
service db/sql 10.96.0.20:5432/tcp
endpoint web/http 10.1.0.5:8080 uid a slice s
endpoint web/http 10.1.0.6:8080 uid b slice s
endpoint web/admin 10.1.0.5:9090 uid a slice t
endpoint web/admin 10.1.0.6:9090 uid b slice t
pass
connect old 10.96.0.10:80/tcp to 10.1.0.5:8080
connect neighbour 10.96.0.10:81/tcp to 10.1.0.5:9090
remove endpoint web/http 10.1.0.5:8080 uid a slice s
remove endpoint web/admin 10.1.0.5:9090 uid a slice t
run 5s
expect drain count 2
endpoint db/sql 10.1.0.5:8080 uid z slice u
pass
expect ops rs-del 10.1.0.5:8080; outcome 10.1.0.5:8080 superseded cut 1
run 5ms
expect cut old; conn neighbour open; rs 10.1.0.5:8080 none on 10.96.0.20:5432/tcp
run 1s
expect ops rs-add 10.1.0.5:8080, serve 10.96.0.20:5432/tcp; conn neighbour open; drain count 1
