# Forty drains that end together are deleted in one batch.
service web/http 10.96.0.10:80/tcp
endpoint web/http 10.2.0.1:8080
endpoints web/http 10.1.0.1:8080 40
pass
remove slice many
pass
run 1s
expect messages 40 rs-zero; messages 40 rs-del; messages 80; remembered 40; reads at-most 3
