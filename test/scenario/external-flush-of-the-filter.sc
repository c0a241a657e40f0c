# nft flush ruleset: told by an event, rewritten whole in the same pass; a broken rule and lost elements too.
service web/http 10.96.0.10:80/tcp
endpoint web/http 10.1.0.5:8080
pass
foreign flush-filter
pass
expect filter intact; served 10.96.0.10:80/tcp; address 10.96.0.10 guarded pinged; messages 1; ops none
foreign damage-filter
pass
expect filter intact; served 10.96.0.10:80/tcp; address 10.96.0.10 guarded pinged
foreign unguard 10.96.0.10
pass
expect ops guard 10.96.0.10
foreign unserve 10.96.0.10:80/tcp
pass
expect ops serve 10.96.0.10:80/tcp
quietly flush-filter
run 31s
expect filter intact; served 10.96.0.10:80/tcp
