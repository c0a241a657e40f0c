# An absent date is the youngest; of two without, the first by name.
service b/http 10.96.0.10:80/tcp
endpoint b/http 10.1.0.6:8080
pass
service a/http 10.96.0.10:80/tcp
endpoint a/http 10.1.0.5:8080
pass
expect rs 10.1.0.5:8080 weight 1; rs 10.1.0.6:8080 weight 0; problem default/b
service c/http 10.96.0.10:80/tcp created 5
endpoint c/http 10.1.0.7:8080
pass
expect rs 10.1.0.7:8080 weight 1; rs 10.1.0.5:8080 weight 0
