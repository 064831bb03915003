/* The IMP object: creation, arguments, and the builder that compilers and the assembler use. */
#include "../base/list.h"
#include "isa_private.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Returns whether a character may be in a name, where `more` lists characters allowed besides
 * letters, digits and '_'. <ctype.h> is not used, because names are ASCII in every locale. */
static bool name_character(char c, bool first, const char *more)
{
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_')
        return true;
    return !first && ((c >= '0' && c <= '9') || (c != '\0' && strchr(more, c)));
}

static bool name_matches(const char *name, size_t length, const char *more)
{
    if (length == 0 || length > CM_IMP_NAME_MAX)
        return false;
    for (size_t i = 0; i < length; i++)
        if (!name_character(name[i], i == 0, more))
            return false;
    return true;
}

bool cm_name_valid(const char *name, size_t length)
{
    return name_matches(name, length, "");
}

bool cm_imp_name_valid(const char *name, size_t length)
{
    return name_matches(name, length, "-.");
}

struct cm_imp *cm_imp_create(const char *name)
{
    struct cm_imp *imp = calloc(1, sizeof *imp);
    if (!imp)
        return NULL;
    /* The name only labels the IMP, so any text is accepted. Characters that names cannot hold
     * become '_', and the end of a long name is cut off. */
    size_t length = strlen(name);
    if (length > CM_IMP_NAME_MAX)
        length = CM_IMP_NAME_MAX;
    for (size_t i = 0; i < length; i++)
        imp->name[i] = name_character(name[i], i == 0, "-.") ? name[i] : '_';
    if (length == 0)
        imp->name[0] = '_';
    return imp;
}

void cm_imp_destroy(struct cm_imp *imp)
{
    if (!imp)
        return;
    free(imp->source_name);
    free(imp->arguments);
    free(imp->code);
    free(imp);
}

bool cm_imp_set_source(struct cm_imp *imp, const char *name)
{
    free(imp->source_name);
    imp->source_name = name && *name ? strdup(name) : NULL;
    return imp->source_name || !name || !*name;
}

uint32_t cm_imp_argument(struct cm_imp *imp, const char *name, enum cm_argument_kind kind)
{
    uint32_t index = imp->argument_count;
    if (!cm_array_room(imp->arguments, index, imp->argument_capacity)) {
        imp->failed = true;
        return index;
    }
    imp->arguments[index] = (struct cm_argument){.kind = kind};
    /* A name that is too long is left empty, which the verifier refuses. A shortened name might
     * equal another argument's. */
    if (strlen(name) <= CM_IMP_NAME_MAX)
        memcpy(imp->arguments[index].name, name, strlen(name));
    imp->argument_count++;
    return index;
}

int cm_imp_find_argument(const struct cm_imp *imp, const char *name)
{
    for (uint32_t i = 0; i < imp->argument_count; i++)
        if (strcmp(imp->arguments[i].name, name) == 0)
            return (int)i;
    return -1;
}

uint32_t cm_imp_emit(struct cm_imp *imp, enum cm_op op, const struct cm_operand *operands,
                     unsigned count)
{
    assert(count == cm_op_info(op)->operand_count);
    uint32_t index = imp->length;
    /* Labels are int32_t, which limits the length of an IMP. */
    if (index == INT32_MAX || !cm_array_room(imp->code, index, imp->capacity)) {
        imp->failed = true;
        return index;
    }
    struct cm_instruction *instruction = &imp->code[index];
    *instruction = (struct cm_instruction){.op = op};
    for (unsigned i = 0; i < count && i < CM_OPERANDS_MAX; i++)
        instruction->operands[i] = operands[i];
    imp->length++;
    return index;
}
