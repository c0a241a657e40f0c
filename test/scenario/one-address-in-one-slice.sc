# Two records of one address in one slice, in both orders.
service web/http 10.96.0.10:80/tcp
endpoint web/http 10.1.0.5:8080 slice a uid old dying
endpoint web/http 10.1.0.5:8080 slice a uid new
endpoint web/http 10.1.0.6:8080 slice a uid new
endpoint web/http 10.1.0.6:8080 slice a uid old dying
pass
expect rs 10.1.0.5:8080 weight 1; rs 10.1.0.6:8080 weight 1
