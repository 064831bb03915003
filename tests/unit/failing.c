/* Which allocations fail. Never sanitized: a sanitizer's own start comes through here. */
#include "failing.h"

#include "tests/faults/allocate.h"

#include <errno.h>
#include <stdatomic.h>

static unsigned long calls, failing_at;
static bool all_later;
static __thread bool on; /* other threads allocate in no fixed order */
static atomic_bool elsewhere;
static __thread bool here; /* of failing_elsewhere */

void failing_begin(unsigned long call, bool stays)
{
    calls = 0;
    failing_at = call;
    all_later = stays;
    on = true;
}

void failing_elsewhere(void)
{
    here = true;
    atomic_store(&elsewhere, true);
}

unsigned long failing_end(void)
{
    on = false;
    atomic_store(&elsewhere, false);
    return calls;
}

bool allocation_fails(void)
{
    bool failing = atomic_load(&elsewhere) && !here;
    if (on) {
        unsigned long call = ++calls;
        failing = failing_at != 0 && (call == failing_at || (call > failing_at && all_later));
    }
    if (failing)
        errno = ENOMEM;
    return failing;
}
