// A C++ program outside the tree: the installed headers name C functions to it too. Prints TAP.
#include <cm200/cm200.h>

#include <cstdio>

static int count;

static void report(bool good, const char *name)
{
    std::printf("%s %d - %s\n", good ? "ok" : "not ok", ++count, name);
}

static bool valid_imp()
{
    const cm_imp_limits limits = CM_IMP_LIMITS_DEFAULT;
    const cm_operand operands[] = {cm_reg(1), cm_mem(0, 4)};
    cm_error err = {};
    cm_imp *imp = cm_imp_create("consumer");
    if (imp == nullptr)
        return false;
    cm_imp_argument(imp, "array", CM_ARGUMENT_ADDRESS);
    cm_imp_emit(imp, CM_OP_FLOAD32, operands, 2);
    cm_imp_emit(imp, CM_OP_HALT, nullptr, 0);
    bool good = cm_imp_verify(imp, &limits, &err) == CM_OK;
    cm_imp_destroy(imp);
    return good;
}

static bool made_system(const char *machine_file)
{
    cm_config config;
    cm_system *system = nullptr;
    cm_error err = {};
    cm_machine_options options = {};
    options.nodes = 8;
    bool good = cm_config_read(machine_file, &config, &err) == CM_OK &&
                cm_system_create(&config, &options, &system, &err) == CM_OK &&
                cm_machine_nodes(cm_system_machine(system)) == 8;
    cm_system_destroy(system);
    return good;
}

int main(int argc, char **argv)
{
    report(valid_imp(), "an IMP is made and valid");
    if (argc > 1)
        report(made_system(argv[1]), "a system of 8 nodes is made from the installed machine");
    std::printf("1..%d\n", count);
    return 0;
}
