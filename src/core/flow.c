/* The words for the states of a connection. */
#include "core/flow.h"

const char *flow_state_word(enum flow_state state)
{
	switch (state) {
#define X(id, word) \
	case id:    \
		return word;
		FLOW_STATES_OF(X)
#undef X
	case FLOW_STATES:
		break;
	}
	return "?";
}
