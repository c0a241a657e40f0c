# One endpoint more among 2,000 is one message and no read.
service big/http 10.96.0.10:80/tcp
endpoints big/http 10.1.0.1:8080 2000
service web/http 10.96.0.11:80/tcp
endpoint web/http 10.2.0.5:8080
pass
endpoint big/http 10.2.0.1:8080
pass
expect ops rs-add 10.2.0.1:8080; messages 1; reads 0
no-fault the many operations of its start would each be tried
