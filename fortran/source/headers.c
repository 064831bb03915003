/* The built-in headers of the machine's libraries: cmssl-cmf.h, timer-fort.h and CMF_defs.h. Their
 * names and constants are those of the PSHIFT paper (section 5 and figure 4). The paper does not
 * give the values of the constants, so cm200 chose them. */
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

/* Text of a header that declares nothing, because all its routines are subroutines. */
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
