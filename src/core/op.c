/* The words of the operations. */
#include "core/op.h"

const char *op_word(enum op_kind kind)
{
	switch (kind) {
#define X(id, order, word) \
	case id:           \
		return word;
		OP_KINDS(X)
#undef X
	}
	return "?";
}
