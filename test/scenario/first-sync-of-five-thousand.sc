# 5,000 endpoints, 1,000 of them at weight 0: at most 1,000 edits.
foreign vs-add 10.96.0.10:80/tcp
foreign rss 10.96.0.10:80/tcp 10.1.0.0:8080 1000 weight 0
foreign rss 10.96.0.10:80/tcp 10.2.0.0:8080 4000 weight 1
foreign addr-add 10.96.0.10
ours 10.96.0.10:80/tcp
service web/http 10.96.0.10:80/tcp
service web2/http 10.96.0.11:80/tcp
endpoints web/http 10.1.0.0:8080 1000
remove slice none
endpoint web/http 10.2.0.0:8080 slice x
pass
expect messages 1000 rs-raise; messages 3999 rs-zero
no-fault too many operations
