# Two Services on one address: one goes, the address stays.
service a/http 10.96.0.10:80/tcp
service b/http 10.96.0.10:81/tcp
endpoint a/http 10.1.0.5:8080
endpoint b/http 10.1.0.6:8080
pass
remove service a
run 60s
expect address 10.96.0.10 bound guarded pinged; served 10.96.0.10:81/tcp; vs 10.96.0.10:80/tcp none; refused 10.96.0.10:80/tcp
