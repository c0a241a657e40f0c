# Nobody tells of it: the rolling audit finds it within its period.
service web/http 10.96.0.10:80/tcp
endpoint web/http 10.1.0.5:8080
endpoint web/http 10.1.0.6:8080
pass
run 45s
quietly rs-del 10.96.0.10:80/tcp 10.1.0.5:8080
quietly rs-add 10.96.0.10:80/tcp 10.1.0.99:8080 2
quietly rs-set 10.96.0.10:80/tcp 10.1.0.6:8080 7
quietly vs-set 10.96.0.10:80/tcp wlc
run 60s
expect ops vs-set 10.96.0.10:80/tcp, rs-raise 10.1.0.5:8080!ENOENT 10.1.0.6:8080, rs-add 10.1.0.5:8080, rs-zero 10.1.0.99:8080, rs-del 10.1.0.99:8080; log drift what=rs-gone
expect rs 10.1.0.5:8080 weight 1; rs 10.1.0.6:8080 weight 1; vs 10.96.0.10:80/tcp sched rr
no-fault a repair may need two audits then
