# A flow with a fixed port would hold a drain for ever: deleted at once, the next datagram goes elsewhere.
service dns/dns 10.96.0.53:53/udp
endpoint dns/dns 10.1.0.7:5353
endpoint dns/dns 10.1.0.8:5353
pass
connect q1 10.96.0.53:53/udp to 10.1.0.7:5353
remove endpoint dns/dns 10.1.0.7:5353
pass
expect ops rs-del 10.1.0.7:5353; drain none
clock +10ms
send q1
expect conn q1 on 10.1.0.8:5353; conn q1 open
remove endpoint dns/dns 10.1.0.8:5353
pass
expect ops unserve 10.96.0.53:53/udp, rs-del 10.1.0.8:5353; refused 10.96.0.53:53/udp
