/* Every command, one file each. */
#pragma once
#include "cli/command.h"

extern const struct command command_run, command_plan, command_status, command_drains, command_version;
