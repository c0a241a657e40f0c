# An unchanged world costs no message, now and after audits.
service web/http 10.96.0.10:80/tcp affinity 600s
service web/http [fd00::10]:80/tcp
service sig/sig 10.96.0.38:3868/sctp
endpoint web/http 10.1.0.5:8080
endpoint web/http [fd00:1::5]:8080
endpoint sig/sig 10.1.0.30:3868
pass
expect messages 16; served [fd00::10]:80/tcp; vs 10.96.0.10:80/tcp affinity 600s
connect c1 10.96.0.10:80/tcp
pass
expect messages 0
counters 10.1.0.30:3868 active 3
run 95s
expect messages 0
# the same told again
service web/http 10.96.0.10:80/tcp
endpoint web/http 10.1.0.5:8080
pass
expect messages 0; reads 0
