# Restarts, an undrain and a Service made anew add nothing that the kernel still remembers.
service web/http 10.96.0.10:80/tcp
endpoints web/http 10.1.0.1:8080 20
pass
restart
pass
restart without-journal
pass
remove service web
pass
service web/http 10.96.0.10:80/tcp
pass
expect messages 20 rs-raise; messages 21
run 200s
expect readds 0; remembered 0; rs 10.1.0.7:8080 weight 1
no-fault its twenty operations are all alike
