# The address of a pod that drains is given to a pod of another Service while nobody looks: it ends as it would have then.
service web/http 10.96.0.10:80/tcp
service db/sql 10.96.0.20:5432/tcp
endpoint web/http 10.1.0.5:8080 uid a slice s
endpoint web/http 10.1.0.6:8080 uid b slice s
pass
connect old 10.96.0.10:80/tcp to 10.1.0.5:8080
remove endpoint web/http 10.1.0.5:8080 uid a slice s
run 2s
restart
endpoint db/sql 10.1.0.5:8080 uid z slice u
pass
expect ops rs-del 10.1.0.5:8080; outcome 10.1.0.5:8080 superseded cut 1
run 5ms
expect cut old; rs 10.1.0.5:8080 none on 10.96.0.20:5432/tcp
run 1s
expect ops rs-add 10.1.0.5:8080, serve 10.96.0.20:5432/tcp; rs 10.1.0.5:8080 weight 1 on 10.96.0.20:5432/tcp
