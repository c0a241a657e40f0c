/* YAML text → JSON trees, by libyaml's events and within the limits of document.h. */
#pragma once
#include "decode/document.h"

/* One document of a text. */
struct yaml_doc {
	struct json_t *tree; /* owned; parts of it may be shared (aliases): never change it */
	unsigned index;      /* among all documents of the text, also the empty ones */
};
struct yaml_docs {
	struct yaml_doc *v;
	size_t n, cap;
};

/* Appends each document that is not empty; on an error what was appended stays (the caller frees). -EINVAL, -E2BIG. */
MUST_CHECK int yaml_tree_parse(const char *text, size_t n, struct yaml_docs *docs, struct document_error *ret_error);
void yaml_docs_fini(struct yaml_docs *docs);
