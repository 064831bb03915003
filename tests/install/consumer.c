/* A program outside the tree: uses the installed headers and library as a stranger would. Prints
 * TAP. */
#include <cm200/base/error.h>
#include <cm200/isa/imp.h>

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

int main(void)
{
    test_errors();
    test_imp();
    printf("1..%d\n", count);
    return 0;
}
