# The ready record of an address wins, whatever the order; its weight never flips.
service web/http 10.96.0.10:80/tcp
endpoint web/http 10.1.0.5:8080 slice a uid a1 dying
endpoint web/http 10.1.0.5:8080 slice b uid a2
pass
expect rs 10.1.0.5:8080 weight 1
remove endpoint web/http 10.1.0.5:8080 slice a uid a1
pass
expect messages 0
endpoint web/http 10.1.0.5:8080 slice a uid a1 terminating
pass
expect messages 0
endpoint web/http 10.1.0.5:8080 slice a uid a3
pass
expect messages 0
remove slice b
remove endpoint web/http 10.1.0.5:8080 slice a uid a1
pass
expect messages 0; rs 10.1.0.5:8080 weight 1
endpoint web/http 10.1.0.5:8080 slice a uid a4 dying
pass
expect messages 0
