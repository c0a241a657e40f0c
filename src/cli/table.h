/* Columns of text. */
#pragma once
#include "base/text.h"

#define TABLE_COLUMNS_MAX 16

struct table_column {
	const char *head;
	bool right; /* aligned to the right: numbers */
};
struct table {
	const struct table_column *columns; /* borrowed */
	size_t n_columns;
	VEC(char *) cells; /* owned; row by row */
};

/* A new row; cells has n_columns places; NULL is an empty cell. Copies. What cannot be printed becomes '?'. */
void table_row(struct table *table, const char *const *cells);
/* Columns are as wide as their widest cell, two blanks apart; no blanks at the end of a line. heads: with the line
 * of column heads. */
void table_format(const struct table *table, bool heads, struct text *ret);
void table_fini(struct table *table);
