# Affinity comes and goes by one edit of the virtual server; connections live.
service web/http 10.96.0.10:80/tcp
endpoint web/http 10.1.0.5:8080
endpoint web/http 10.1.0.6:8080
pass
connect c1 10.96.0.10:80/tcp
service web/http 10.96.0.10:80/tcp affinity 600s
pass
expect ops vs-set 10.96.0.10:80/tcp; vs 10.96.0.10:80/tcp affinity 600s; conn c1 open
service web/http 10.96.0.10:80/tcp affinity 0s
pass
expect ops vs-set 10.96.0.10:80/tcp; vs 10.96.0.10:80/tcp affinity 0s; conn c1 open
