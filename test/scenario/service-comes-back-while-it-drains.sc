# Re-created before its drain ended: raised and served in place, the connection lives past the old limit.
service web/http 10.96.0.10:80/tcp
endpoint web/http 10.1.0.5:8080
pass
connect c1 10.96.0.10:80/tcp
remove service web
run 20s
expect refused 10.96.0.10:80/tcp
service web/http 10.96.0.10:80/tcp
pass
expect ops rs-raise 10.1.0.5:8080, serve 10.96.0.10:80/tcp; outcome 10.1.0.5:8080 undrained; journal gone 10.96.0.10:80/tcp none
run 120s
expect conn c1 open; messages 0; served 10.96.0.10:80/tcp
# and while its address lingers
remove service web
reset c1
run 15s
expect vs 10.96.0.10:80/tcp none; address 10.96.0.10 bound guarded
service web/http 10.96.0.10:80/tcp
pass
expect ops vs-add 10.96.0.10:80/tcp, rs-add 10.1.0.5:8080, serve 10.96.0.10:80/tcp
run 60s
expect address 10.96.0.10 bound guarded pinged; journal linger 10.96.0.10 none
