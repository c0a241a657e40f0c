# Its servers go at once, its virtual server too; the address lingers.
service dns/dns 10.96.0.53:53/udp
endpoint dns/dns 10.1.0.7:5353
pass
remove service dns
run 1s
expect ops unserve 10.96.0.53:53/udp, rs-del 10.1.0.7:5353, vs-del 10.96.0.53:53/udp; address 10.96.0.53 bound guarded
run 10s
expect address 10.96.0.53 none
