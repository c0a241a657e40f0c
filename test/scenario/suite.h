/* The scenarios that a program is to play. */
#pragma once
#include "scenario/play.h"

struct suite {
	VEC(struct script) scripts;
	const char *tmp_dir; /* where worlds keep their journals: in memory if the machine has such a place */
};
/* Arguments are files and folders of *.sc. False: it was said on stderr. */
bool suite_read(struct suite *suite, int argc, char **argv);
void suite_fini(struct suite *suite);
