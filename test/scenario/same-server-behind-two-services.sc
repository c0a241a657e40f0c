# One server behind two virtual servers drains twice, each by its own count.
service a/http 10.96.0.10:80/tcp
service b/http 10.96.0.11:80/tcp
endpoint a/http 10.1.0.5:8080
endpoint b/http 10.1.0.5:8080
endpoint a/http 10.1.0.6:8080
endpoint b/http 10.1.0.6:8080
pass
connect c1 10.96.0.10:80/tcp to 10.1.0.5:8080
remove endpoint a/http 10.1.0.5:8080
remove endpoint b/http 10.1.0.5:8080
pass
expect ops rs-zero 10.1.0.5:8080@10.96.0.10:80/tcp 10.1.0.5:8080@10.96.0.11:80/tcp; drain count 2
run 2s
expect ops rs-del 10.1.0.5:8080@10.96.0.11:80/tcp; drain count 1; conn c1 open
