/* The built-in headers of the machine's libraries. The names are those of the PSHIFT paper (section
 * 5 and figure 4). Their values were never published, so the values here are ours. */
#include "headers.h"

#include <stddef.h>
#include <string.h>

static const char cmssl[] = "      integer cmssl_cshift\n"
                            "      integer cmssl_eoshift_scalar\n"
                            "      integer cmssl_eoshift_array\n"
                            "      integer cmssl_eoshift_0\n"
                            "      integer cmssl_eoshift_1\n"
                            "      parameter (cmssl_cshift = 1)\n"
                            "      parameter (cmssl_eoshift_scalar = 2)\n"
                            "      parameter (cmssl_eoshift_array = 3)\n"
                            "      parameter (cmssl_eoshift_0 = 4)\n"
                            "      parameter (cmssl_eoshift_1 = 5)\n"
                            "      integer pshift_setup\n"
                            "      integer pshift_setup_looped\n"
                            "      external pshift_setup\n"
                            "      external pshift_setup_looped\n";

static const char timers[] = "      double precision cm_timer_read_cm_busy\n"
                             "      double precision cm_timer_read_elapsed\n"
                             "      external cm_timer_read_cm_busy\n"
                             "      external cm_timer_read_elapsed\n";

/* Text of a header whose routines are all subroutines, which need no declaration. */
static const char empty[] = "";

const char *cm_header_text(const char *name)
{
    static const struct {
        const char *name, *text;
    } headers[] = {
        {"cmssl-cmf.h", cmssl},
        {"timer-fort.h", timers},
        {"CMF_defs.h", empty},
    };
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++)
        if (strcmp(name, headers[i].name) == 0)
            return headers[i].text;
    return NULL;
}
