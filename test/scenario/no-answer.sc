# Operations without an answer, done or not: read again, put right.
service web/http 10.96.0.10:80/tcp
endpoint web/http 10.1.0.5:8080
endpoint web/http 10.1.0.6:8080
silent op 3 call
silent op 4 done
silent op 5
run 5s
expect served 10.96.0.10:80/tcp; rs 10.1.0.5:8080 weight 1; rs 10.1.0.6:8080 weight 1; problem none
connect c1 10.96.0.10:80/tcp to 10.1.0.5:8080
remove endpoint web/http 10.1.0.5:8080
silent op 1 done
run 5s
expect drain 10.1.0.5:8080 keep; conn c1 open
reset c1
silent op 1 done
run 20s
expect rs 10.1.0.5:8080 none; drain none
