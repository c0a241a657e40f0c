/* Turns the text of one file into what the file defines. */
#pragma once
#include "source/manifest_file.h"

/* Sets file->defs, bad, known and n_missing by the text. path is for the reports. quiet: this text was reported on
 * before. */
void manifest_text_load(struct manifest_file *file, const char *path, const char *text, size_t n, bool quiet,
			const struct source_sink *sink);
