# 500 endpoints, 100 of them at weight 0: 100 edits, no more.
foreign vs-add 10.96.0.10:80/tcp
foreign rss 10.96.0.10:80/tcp 10.1.0.1:8080 100 weight 0
foreign rss 10.96.0.10:80/tcp 10.1.0.101:8080 400 weight 1
foreign addr-add 10.96.0.10
ours 10.96.0.10:80/tcp
service web/http 10.96.0.10:80/tcp
endpoints web/http 10.1.0.1:8080 500
pass
expect messages 100 rs-raise; messages 101
no-fault its hundred edits are all alike
