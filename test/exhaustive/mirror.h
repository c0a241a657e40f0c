/* The daemon's struct observed, made of the value that a state keeps of it, and put back into one. */
#pragma once
#include "core/observed.h"
#include "exhaustive/state.h"

#define NOW ((struct mono){ 1000000 })

struct mono when_at(uint8_t when);
uint8_t when_of(struct mono at, struct mono now);
uint8_t waits_of(const struct retry *retry, struct mono now); /* one that is due is like none */

void mirror_thaw(const struct mirror *m, struct observed *ret); /* observed_fini() */
/* Keeps what can still decide something, as it is seen at now: NOW, or later. */
struct mirror mirror_freeze(struct observed *o, struct mono now);
