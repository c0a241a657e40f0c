# Virtual servers of others, also on our address with another port, and firewall marks stay, whoever came first.
foreign vs-add 192.0.2.6:6443/tcp wlc
foreign rs-add 192.0.2.6:6443/tcp 192.0.2.11:6443 5
foreign fwmark 7
foreign vs-add 10.96.0.10:8443/tcp sh affinity 300s
foreign rs-add 10.96.0.10:8443/tcp 10.9.0.1:8443 0
service web/http 10.96.0.10:80/tcp
endpoint web/http 10.1.0.5:8080
pass
expect ops guard 10.96.0.10, addr-add 10.96.0.10, vs-add 10.96.0.10:80/tcp, rs-add 10.1.0.5:8080, serve 10.96.0.10:80/tcp 10.96.0.10:8443/tcp
foreign vs-add 10.96.0.10:9443/tcp wrr
foreign rs-add 10.96.0.10:9443/tcp 10.9.0.2:9443 3
run 70s
expect served 10.96.0.10:9443/tcp
restart
pass
run 70s
restart without-journal
pass
run 70s
expect vs 192.0.2.6:6443/tcp sched wlc; rs 192.0.2.11:6443 weight 5; vs 10.96.0.10:8443/tcp sched sh affinity 300s; rs 10.9.0.1:8443 weight 0
expect vs 10.96.0.10:9443/tcp sched wrr; rs 10.9.0.2:9443 weight 3; fwmarks 1; messages 0
remove service web
run 200s
expect vs 10.96.0.10:80/tcp none; vs 10.96.0.10:8443/tcp sched sh; rs 10.9.0.1:8443 weight 0; rs 10.9.0.2:9443 weight 3; rs 192.0.2.11:6443 weight 5; fwmarks 1
