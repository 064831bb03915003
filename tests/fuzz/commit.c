/* Fuzz targets are of no commit in particular. */
#include "cli/cli.h"

const char cli_commit[] = "";
