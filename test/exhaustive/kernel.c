/* Answers as the real kernel gives them (test/contract measures those). Every deletion is judged here: I1 and I2; and what is added: I8. */
#include "exhaustive/kernel.h"

#include <errno.h>
#include <string.h>

#define LATE_TICKS 3 /* at 0, 5 and 10 ms a straggler may come */

void kernel_weigh(struct kernel_rs *rs, int weight)
{
	if (rs->weight && !weight)
		rs->late = LATE_TICKS;
	if (weight)
		rs->late = rs->acked = rs->read = rs->limit = 0;
	rs->weight = weight > 0;
}

static void judge_deletion(const struct kernel_rs *rs, int i, bool limit_came)
{
	if (limit_came || rs->raised || rs->pods == BOTH_PODS)
		return;
	if (clients_of(rs))
		broken("I1: %c is deleted with %u connections", 'A' + i, clients_of(rs));
	if (!rs->read)
		broken("I2: %c is deleted, but was not counted after its weight 0 was %s", 'A' + i, rs->acked ? "acknowledged" : "set: that was not acknowledged");
}

/* What it has is ended by delayed work. */
static struct kernel_rs without(const struct kernel_rs *rs)
{
	struct kernel_rs left = { .left = rs->left, .left_pods = rs->left_pods };

	if (bounds.pods && clients_of(rs)) {
		left.left = (uint8_t)((left.left + clients_of(rs)) & 3);
		left.left_pods |= rs->pods;
	}
	return left;
}

/* A server that comes back before that gets them. */
static struct kernel_rs revived(const struct kernel_rs *rs, int i, unsigned pod)
{
	uint8_t pods = pod_bit(pod);

	if (rs->left && pods && (rs->left_pods & ~pods))
		broken("I8: %c is added as another pod, and gets %u connections of the one before", 'A' + i, rs->left);
	return (struct kernel_rs){ .present = 1, .weight = 1, .active = rs->left, .pods = pods | rs->left_pods };
}

static int do_rs(struct kernel_model *k, const struct small_op *op)
{
	struct kernel_rs *rs = &k->rs[op->rs];

	if (!k->vs)
		return -ESRCH;
	if (op->kind == OP_RS_ADD) {
		if (rs->present)
			return -EEXIST;
		*rs = revived(rs, op->rs, op->pod);
		return 0;
	}
	if (!rs->present)
		return -ENOENT;
	if (op->kind == OP_RS_DEL) {
		judge_deletion(rs, op->rs, op->limit_came);
		*rs = without(rs);
		return 0;
	}
	kernel_weigh(rs, op->kind == OP_RS_RAISE);
	rs->raised = 0;
	return 0;
}

static int do_vs(struct kernel_model *k, const struct small_op *op)
{
	if (op->kind == OP_VS_ADD) {
		if (k->vs)
			return -EEXIST;
		k->vs = 1;
		return 0;
	}
	if (!k->vs)
		return -ESRCH;
	if (op->kind == OP_VS_SET)
		return 0;
	for (int i = 0; i < SERVERS; i++)
		if (k->rs[i].present)
			judge_deletion(&k->rs[i], i, op->limit_came);
	memset(k->rs, 0, sizeof(k->rs));
	k->vs = 0;
	return 0;
}

int kernel_do(struct kernel_model *k, const struct small_op *op)
{
	switch ((enum op_kind)op->kind) {
	case OP_GUARD:
		k->guarded = 1;
		return 0;
	case OP_UNGUARD:
		k->guarded = 0;
		return 0;
	case OP_ADDR_ADD:
		if (k->bound)
			return -EEXIST;
		k->bound = 1;
		return 0;
	case OP_ADDR_DEL:
		if (!k->bound)
			return -EADDRNOTAVAIL;
		k->bound = 0;
		return 0;
	case OP_SERVE:
		k->served = k->pinged = 1;
		return 0;
	case OP_UNSERVE:
		k->served = k->pinged = 0; /* the only key of its address */
		return 0;
	case OP_VS_ADD:
	case OP_VS_SET:
	case OP_VS_DEL:
		return do_vs(k, op);
	case OP_RS_ADD:
	case OP_RS_RAISE:
	case OP_RS_ZERO:
	case OP_RS_DEL:
		return do_rs(k, op);
	}
	return -EINVAL;
}
