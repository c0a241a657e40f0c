# By default SCTP is not drained.
service sig/sig 10.96.0.38:3868/sctp
endpoint sig/sig 10.1.0.30:3868
endpoint sig/sig 10.1.0.31:3868
pass
connect s1 10.96.0.38:3868/sctp to 10.1.0.30:3868
remove endpoint sig/sig 10.1.0.30:3868
pass
expect ops rs-del 10.1.0.30:3868; drain none
clock +10ms
expect cut s1
