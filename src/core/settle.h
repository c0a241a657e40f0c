/* The result of one operation → observed: state changes only here, after the kernel's answer. Pure. */
#pragma once
#include "core/observed.h"
#include "core/op.h"

struct settled {
	bool done;                  /* the kernel is as the operation wanted it, or its object is gone */
	bool foreign;               /* the key is somebody else's: nothing of ours was made */
	bool drain_began, drain_ended;
	enum drain_outcome outcome; /* drain_ended */
	struct mono since;          /* drain_ended: when it had begun */
	uint32_t active, inactive;  /* OP_RS_ZERO, OP_RS_DEL: the last counts; with OUTCOME_LIMIT, _SERVICE_GONE, _SUPERSEDED: what was cut */
};

/* Takes the result. What has to be planned again is dirty afterwards; what failed is doubtful and retried later. */
struct settled settle(struct observed *o, const struct op *op, struct op_result result, struct mono now);
