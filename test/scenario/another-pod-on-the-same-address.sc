# A pod is gone, and another one gets its address while its connections drain: they end first, then the new pod is added.
service web/http 10.96.0.10:80/tcp
endpoint web/http 10.1.0.5:8080 uid a slice s
endpoint web/http 10.1.0.6:8080 uid b slice s
pass
connect old 10.96.0.10:80/tcp to 10.1.0.5:8080
remove endpoint web/http 10.1.0.5:8080 uid a slice s
pass
expect ops rs-zero 10.1.0.5:8080; drain 10.1.0.5:8080 settle
run 2s
expect drain 10.1.0.5:8080 keep
endpoint web/http 10.1.0.5:8080 uid z slice s
pass
expect ops rs-del 10.1.0.5:8080; outcome 10.1.0.5:8080 superseded cut 1; rs 10.1.0.5:8080 none
run 5ms
expect cut old; rs 10.1.0.5:8080 none
run 1s
expect ops rs-add 10.1.0.5:8080; rs 10.1.0.5:8080 weight 1 active 0 inactive 0; readds 1; conn old cut
connect new 10.96.0.10:80/tcp to 10.1.0.5:8080
# The same pod comes back: in place.
remove endpoint web/http 10.1.0.5:8080 uid z slice s
pass
endpoint web/http 10.1.0.5:8080 uid z slice s
pass
expect ops rs-raise 10.1.0.5:8080; conn new open; outcome 10.1.0.5:8080 undrained
# A pod that nobody knows is no other pod.
remove endpoint web/http 10.1.0.5:8080 uid z slice s
pass
endpoint web/http 10.1.0.5:8080 slice s
pass
expect ops rs-raise 10.1.0.5:8080; conn new open
