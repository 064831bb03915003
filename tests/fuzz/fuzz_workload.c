/* Workloads of any kind, as text; run_workload.h says what must hold. */
#include "run_workload.h"
#include "target.h"

#define INPUT_MAX (64u * 1024u)

FUZZ_TARGET(fuzz_workload)
{
    if (size <= INPUT_MAX)
        run_workload((const char *)data, size);
    return 0;
}
