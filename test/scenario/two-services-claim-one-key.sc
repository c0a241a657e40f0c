# The older one has it, the other is reported; when the older one goes, the other gets it in place.
service young/http 10.96.0.10:80/tcp created 200
endpoint young/http 10.1.0.6:8080
pass
expect rs 10.1.0.6:8080 weight 1
service old/http 10.96.0.10:80/tcp created 100
endpoint old/http 10.1.0.5:8080
pass
expect ops rs-add 10.1.0.5:8080, rs-zero 10.1.0.6:8080; problem young; log young
run 2s
expect rs 10.1.0.6:8080 none
remove service old
pass
expect ops rs-add 10.1.0.6:8080, rs-zero 10.1.0.5:8080; problem none; served 10.96.0.10:80/tcp
