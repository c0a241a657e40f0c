# Another port number under the same name: the new one comes, the old one drains.
service web/http 10.96.0.10:80/tcp
endpoint web/http 10.1.0.5:8080
pass
connect c1 10.96.0.10:80/tcp
service web/http 10.96.0.10:81/tcp
pass
expect ops vs-add 10.96.0.10:81/tcp, rs-add 10.1.0.5:8080, serve 10.96.0.10:81/tcp, unserve 10.96.0.10:80/tcp, rs-zero 10.1.0.5:8080; conn c1 open
reset c1
