# A table and a device as another proxy left them: adopted in place; an address that nobody wants is unbound at last.
foreign addr-add 10.96.0.10
foreign addr-add 10.96.0.77
foreign vs-add 10.96.0.10:80/tcp rr
foreign rs-add 10.96.0.10:80/tcp 10.1.0.5:8080 1
ours 10.96.0.10:80/tcp
connect c1 10.96.0.10:80/tcp
service web/http 10.96.0.10:80/tcp
endpoint web/http 10.1.0.5:8080
pass
expect ops none; served 10.96.0.10:80/tcp; address 10.96.0.10 guarded; address 10.96.0.77 bound guarded; conn c1 open
run 30s
expect address 10.96.0.77 none; conn c1 open
