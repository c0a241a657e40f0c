#include "test/unit/unit.h"

#include "cli/table.h"

#include <string.h>

static const struct table_column columns[] = { { "NAME", false }, { "N", true }, { "REST", false } };

static void rows_line_up(void **state)
{
	struct table table = { columns, ARRAY_SIZE(columns), { 0 } };
	struct text text = { 0 };

	table_row(&table, (const char *[]){ "a", "1", "x" });
	table_row(&table, (const char *[]){ "longer", "1000", NULL });
	table_row(&table, (const char *[]){ NULL, NULL, "y" });
	table_row(&table, (const char *[]){ "b", "", "" });
	table_format(&table, true, &text);
	assert_string_equal(text_str(&text), "NAME       N  REST\n"
					     "a          1  x\n"
					     "longer  1000\n"
					     "              y\n"
					     "b\n");
	table_fini(&table);
	text_fini(&text);
}

/* Without heads the heads do not widen the columns either. */
static void heads_can_be_left_out(void **state)
{
	struct table table = { columns, ARRAY_SIZE(columns), { 0 } };
	struct text text = { 0 };

	table_row(&table, (const char *[]){ "a", "1", "x" });
	table_format(&table, false, &text);
	assert_string_equal(text_str(&text), "a  1  x\n");
	table_fini(&table);
	text_fini(&text);
}

static void an_empty_table_is_its_heads(void **state)
{
	struct table table = { columns, ARRAY_SIZE(columns), { 0 } };
	struct text text = { 0 };

	table_format(&table, true, &text);
	assert_string_equal(text_str(&text), "NAME  N  REST\n");
	table_fini(&table);
	text_fini(&text);
}

/* A name from outside must not command the terminal, nor end its line. */
static void control_characters_are_replaced(void **state)
{
	struct table table = { columns, ARRAY_SIZE(columns), { 0 } };
	struct text text = { 0 };

	table_row(&table, (const char *[]){ "\033[31mred", "1\n2", "\x7f\xc3\xa4\t" });
	table_format(&table, false, &text);
	assert_string_equal(text_str(&text), "?[31mred  1?2  ????\n");
	table_fini(&table);
	text_fini(&text);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_line_up),
		cmocka_unit_test(heads_can_be_left_out),
		cmocka_unit_test(an_empty_table_is_its_heads),
		cmocka_unit_test(control_characters_are_replaced),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
