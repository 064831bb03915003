/* Workloads of any kind, as text; run_workload.h says what must hold. */
#include "run_workload.h"

#define INPUT_MAX (64u * 1024u)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size <= INPUT_MAX)
        run_workload((const char *)data, size);
    return 0;
}
