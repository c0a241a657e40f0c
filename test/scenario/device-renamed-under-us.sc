no-fault what is on the device when it is renamed depends on the moment
# Somebody renames our device: the addresses stay on it, and are local. Bound again on a new one; and while the old one has
# them, nothing is unguarded, or ports of the node would be open.
service web/http 10.96.0.10:80/tcp
service db/sql 10.96.0.20:5432/tcp
endpoint web/http 10.1.0.5:8080
endpoint db/sql 10.1.1.5:5432
pass
connect a 10.96.0.20:5432/tcp
foreign rename-device
run 2s
expect address 10.96.0.10 bound guarded; conn a open
remove service web
run 30s
expect address 10.96.0.10 unbound guarded; exposed none; log another dummy device
