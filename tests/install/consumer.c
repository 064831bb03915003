/* A program outside the tree: uses the installed headers and library as a stranger would. Prints
 * TAP. */
#include <cm200/cm200.h>

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static int count;

static void report(bool good, const char *name)
{
    printf("%s %d - %s\n", good ? "ok" : "not ok", ++count, name);
}

static void test_errors(void)
{
    struct cm_error err = {0};
    enum cm_status status =
        cm_error_at(&err, CM_BAD_INPUT, "machine.json", 3, 5, "unknown key \"%s\"", "dimentions");
    cm_error_hint(&err, "did you mean \"dimensions\"?");
    char text[512];
    size_t length = cm_error_format(&err, text, sizeof(text));
    report(status == CM_BAD_INPUT && cm_status_exit_code(status) == 3,
           "a status has its exit code");
    report(length > 0 && strstr(text, "machine.json:3:5: ") == text &&
               strstr(text, "dimensions") != NULL,
           "an error is formatted with its place and hint");
}

static void test_imp(void)
{
    struct cm_imp *imp = cm_imp_create("consumer");
    report(imp != NULL, "an IMP is made");
    if (imp == NULL)
        return;
    struct cm_imp_limits limits = CM_IMP_LIMITS_DEFAULT;
    struct cm_error err = {0};
    cm_imp_emit(imp, CM_OP_HALT, NULL, 0);
    report(cm_imp_verify(imp, &limits, &err) == CM_OK, "an IMP of one halt is valid");
    cm_imp_destroy(imp);
}

/* A ring of 64 elements on 8 nodes, shifted both ways in one call. */
static enum cm_status shift_both_ways(struct cm_system *system, int32_t *up, int32_t *down,
                                      struct cm_error *err)
{
    const struct cm_layout_request request = {
        .type = CM_TYPE_INT32, .rank = 1, .shape = {64}, .weights = {1}};
    const struct cm_pshift_pattern patterns[2] = {{CM_SHIFT_CSHIFT, 0, 1},
                                                  {CM_SHIFT_CSHIFT, 0, -1}};
    struct cm_array *src = NULL, *dst[2] = {NULL, NULL};
    struct cm_layout layout;
    int32_t elements[64];
    int id;
    for (int32_t i = 0; i < 64; i++)
        elements[i] = i;
    enum cm_status status = cm_layout_create(&request, 8, &layout, err);
    if (status == CM_OK)
        status = cm_array_create(system, "src", &layout, &src, err);
    if (status == CM_OK)
        status = cm_array_create(system, "up", &layout, &dst[0], err);
    if (status == CM_OK)
        status = cm_array_create(system, "down", &layout, &dst[1], err);
    if (status == CM_OK)
        status = cm_array_scatter(system, src, elements, err);
    if (status == CM_OK)
        status = cm_pshift_setup(
            system, &(struct cm_pshift_request){CM_SETUP_AUTO, &layout, patterns, 2}, &id, err);
    if (status == CM_OK) {
        const struct cm_shift shifts[2] = {{.distance = 1, .dst = dst[0], .src = src},
                                           {.distance = -1, .dst = dst[1], .src = src}};
        status = cm_pshift_call(system, id, shifts, 2, err);
    }
    if (status == CM_OK)
        status = cm_array_gather(system, dst[0], up, err);
    if (status == CM_OK)
        status = cm_array_gather(system, dst[1], down, err);
    cm_array_destroy(system, src);
    cm_array_destroy(system, dst[0]);
    cm_array_destroy(system, dst[1]);
    return status;
}

static void test_pshift(const char *machine_file)
{
    struct cm_config config;
    struct cm_system *system = NULL;
    struct cm_error err = {0};
    int32_t up[64], down[64];
    bool right = true;
    const struct cm_machine_options options = {.nodes = 8};
    enum cm_status status = cm_config_read(machine_file, &config, &err);
    if (status == CM_OK)
        status = cm_system_create(&config, &options, &system, &err);
    if (status == CM_OK)
        status = shift_both_ways(system, up, down, &err);
    for (int32_t i = 0; status == CM_OK && i < 64; i++)
        right = right && up[i] == (i + 1) % 64 && down[i] == (i + 63) % 64;
    report(status == CM_OK && right, "a PSHIFT on the installed machine description is right");
    report(status == CM_OK && cm_machine_counters(cm_system_machine(system)).exchanges == 1,
           "it takes one exchange");
    cm_system_destroy(system);
}

int main(int argc, char **argv)
{
    test_errors();
    test_imp();
    if (argc > 1)
        test_pshift(argv[1]);
    printf("1..%d\n", count);
    return 0;
}
