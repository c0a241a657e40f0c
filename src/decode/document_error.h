/* Filling in a document_error; for the files of this folder. */
#pragma once
#include "decode/document.h"

/* Gives code back. line and column from 1. */
int document_fail(struct document_error *error, int code, size_t line, size_t column, const char *fmt, ...) PRINTF(5, 6);

/* The same for a byte offset into text. */
int document_fail_at(struct document_error *error, int code, const char *text, size_t offset, const char *reason);
