# ipvsadm -C while something drains: the audit finds it within its period, all is made again, the drain is lost.
service web/http 10.96.0.10:80/tcp affinity 60s
service dns/dns 10.96.0.53:53/udp
endpoint web/http 10.1.0.5:8080
endpoint web/http 10.1.0.6:8080
endpoint dns/dns 10.1.0.7:5353
pass
remove endpoint web/http 10.1.0.5:8080
counters 10.1.0.5:8080 active 4
pass
run 3s
expect drain 10.1.0.5:8080 keep
quietly flush-vs
run 31s
expect vs 10.96.0.10:80/tcp affinity 60s; rs 10.1.0.6:8080 weight 1; rs 10.1.0.5:8080 none; rs 10.1.0.7:5353 weight 1
expect outcome 10.1.0.5:8080 lost; drain none; served 10.96.0.10:80/tcp; served 10.96.0.53:53/udp; journal vs 10.96.0.10:80/tcp
