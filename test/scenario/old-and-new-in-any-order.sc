# Disable and enable that arrive in both orders end as the last word says.
service web/http 10.96.0.10:80/tcp
endpoint web/http 10.1.0.5:8080
endpoint web/http 10.1.0.6:8080
pass
endpoint web/http 10.1.0.5:8080 notready
endpoint web/http 10.1.0.5:8080
pass
expect messages 0
endpoint web/http 10.1.0.5:8080
endpoint web/http 10.1.0.5:8080 notready
pass
expect ops rs-zero 10.1.0.5:8080
