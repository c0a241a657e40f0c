/* The kernel of the small world: what operations do, what clients do, what the witnesses say of a deletion. */
#pragma once
#include "core/op.h"
#include "exhaustive/state.h"

/* Does it, if the kernel would; gives back the kernel's answer. */
int kernel_do(struct kernel_model *k, const struct small_op *op);
/* The weight became weight, by whomever. */
void kernel_weigh(struct kernel_rs *rs, int weight);

#define BOTH_PODS 3
static inline uint8_t pod_bit(unsigned pod) { return (uint8_t)(pod == POD_UNKNOWN ? 0 : 1U << (pod - 1)); }
static inline unsigned clients_of(const struct kernel_rs *rs) { return rs->active + rs->inactive; }
static inline bool is_live(const struct kernel_model *k, int i) { return k->rs[i].present && k->rs[i].weight; }
