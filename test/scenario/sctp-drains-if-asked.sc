# SCTP drains like TCP, UDP only where there is a limit.
option drain-protocols tcp,sctp,udp
service sig/m3ua 10.96.0.10:2905/sctp
service dns/dns 10.96.0.11:53/udp
service log/syslog 10.96.0.12:514/udp drain-limit 30s
endpoint sig/m3ua 10.1.0.5:2905
endpoint sig/m3ua 10.1.0.6:2905
endpoint dns/dns 10.1.1.5:53
endpoint dns/dns 10.1.1.6:53
endpoint log/syslog 10.1.2.5:514
endpoint log/syslog 10.1.2.6:514
pass
connect a 10.96.0.10:2905/sctp to 10.1.0.5:2905
connect b 10.96.0.11:53/udp to 10.1.1.5:53
connect c 10.96.0.12:514/udp to 10.1.2.5:514
remove endpoint sig/m3ua 10.1.0.5:2905
remove endpoint dns/dns 10.1.1.5:53
remove endpoint log/syslog 10.1.2.5:514
pass
expect rs 10.1.0.5:2905 weight 0; rs 10.1.1.5:53 none; rs 10.1.2.5:514 weight 0; drain count 2
run 20s
send c
expect conn a open; conn c on 10.1.2.5:514
run 11s
expect rs 10.1.2.5:514 none; outcome 10.1.2.5:514 limit cut 1; conn a open
run 1s
send c
expect conn c on 10.1.2.6:514
reset a
run 15s
expect rs 10.1.0.5:2905 none; outcome 10.1.0.5:2905 empty
