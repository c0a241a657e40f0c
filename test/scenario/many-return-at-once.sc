# Fifty drains end by fifty weight edits.
service web/http 10.96.0.10:80/tcp
endpoints web/http 10.1.0.1:8080 50
endpoint web/http 10.2.0.1:8080
pass
connect c1 10.96.0.10:80/tcp to 10.1.0.1:8080
remove slice many
pass
expect messages 50 rs-zero; messages 50
counters 10.1.0.9:8080 active 1
endpoints web/http 10.1.0.1:8080 50
pass
expect messages 50 rs-raise; messages 50; drain none; conn c1 open
