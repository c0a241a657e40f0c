/* Lays out columns. Knows nothing of what stands in them. */
#include "cli/table.h"

#include <assert.h>
#include <string.h>

void table_row(struct table *table, const char *const *cells)
{
	for (size_t i = 0; i < table->n_columns; i++) {
		char *cell = xstrdup(cells[i] ? cells[i] : "");

		for (char *c = cell; *c; c++) /* names come from outside; a terminal obeys control characters */
			if ((unsigned char)*c < 0x20 || (unsigned char)*c >= 0x7f)
				*c = '?';
		*vec_push(&table->cells) = cell;
	}
}

static void add_line(const struct table *table, char *const *cells, const size_t *widths, struct text *ret)
{
	size_t pending = 0; /* blanks that are only written if something follows */

	for (size_t i = 0; i < table->n_columns; i++) {
		const char *cell = cells ? cells[i] : table->columns[i].head;
		size_t n = strlen(cell), fill = widths[i] - n;

		if (i)
			pending += 2;
		if (!n || !table->columns[i].right) {
			if (n)
				text_add(ret, "%*s%s", (int)pending, "", cell);
			pending = n ? fill : pending + fill;
			continue;
		}
		text_add(ret, "%*s%s", (int)(pending + fill), "", cell);
		pending = 0;
	}
	text_add(ret, "\n");
}

void table_format(const struct table *table, bool heads, struct text *ret)
{
	size_t widths[TABLE_COLUMNS_MAX] = { 0 };

	assert(table->n_columns > 0 && table->n_columns <= TABLE_COLUMNS_MAX);
	for (size_t i = 0; heads && i < table->n_columns; i++)
		widths[i] = strlen(table->columns[i].head);
	for (size_t i = 0; i < table->cells.n; i++) {
		size_t n = strlen(table->cells.v[i]), column = i % table->n_columns;

		if (n > widths[column])
			widths[column] = n;
	}
	if (heads)
		add_line(table, NULL, widths, ret);
	for (size_t i = 0; i < table->cells.n; i += table->n_columns)
		add_line(table, table->cells.v + i, widths, ret);
}

void table_fini(struct table *table)
{
	for (size_t i = 0; i < table->cells.n; i++)
		free(table->cells.v[i]);
	free(table->cells.v);
	table->cells.v = NULL;
	table->cells.n = table->cells.cap = 0;
}
