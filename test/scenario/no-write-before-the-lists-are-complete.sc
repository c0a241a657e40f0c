# Ten minutes without the sources' lists: the kernel is left as it is, whatever it holds.
sync later
service web/http 10.96.0.10:80/tcp
endpoint web/http 10.1.0.5:8080
pass
run 600s
expect messages 0; reads 0; journal none
sync
pass
expect served 10.96.0.10:80/tcp
connect c1 10.96.0.10:80/tcp
restart
pass
run 600s
expect messages 0; conn c1 open; rs 10.1.0.5:8080 weight 1
sync
pass
expect messages 0
