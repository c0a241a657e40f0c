# Addresses flushed or the device deleted under us: told by an event, back in the same pass, connections live.
service web/http 10.96.0.10:80/tcp
service web/http [fd00::10]:80/tcp
endpoint web/http 10.1.0.5:8080
endpoint web/http [fd00:1::5]:8080
pass
connect c1 10.96.0.10:80/tcp
foreign flush-addresses
pass
expect ops addr-add 10.96.0.10 fd00::10; conn c1 open; log drift
foreign delete-device
pass
run 1s
expect device; address 10.96.0.10 bound guarded; address fd00::10 bound guarded; conn c1 open
foreign addr-del 10.96.0.10
pass
expect ops addr-add 10.96.0.10
quietly delete-device
run 31s
expect device; address 10.96.0.10 bound guarded; served 10.96.0.10:80/tcp
