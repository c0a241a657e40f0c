/* Words of what people see. */
#include "core/view.h"

const char *drain_verdict_word(enum drain_verdict verdict)
{
	switch (verdict) {
#define X(id, word) \
	case id:    \
		return word;
		DRAIN_VERDICTS(X)
#undef X
	}
	return "?";
}

const char *drain_outcome_word(enum drain_outcome outcome)
{
	switch (outcome) {
#define X(id, word) \
	case id:    \
		return word;
		DRAIN_OUTCOMES(X)
#undef X
	case OUTCOMES:
		break;
	}
	return "?";
}

void view_free(struct view *view)
{
	if (view)
		arena_free(view->arena);
}
