# A failure for a minute: the neighbour works, tries back off, the end is right.
service a/http 10.96.0.10:80/tcp
service b/http 10.96.0.11:80/tcp
endpoint a/http 10.1.0.5:8080
endpoint b/http 10.1.0.6:8080
fail vs-add ENOENT 100000
run 60s
expect served none; problem default/a; log no such scheduler
heal
run 31s
expect served 10.96.0.10:80/tcp; served 10.96.0.11:80/tcp; problem none
