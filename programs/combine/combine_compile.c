/*
 * The compiler of combine. The IMP walks the local elements in groups, and each group in vectors of
 * four:
 *
 *     pass                      as many terms as the registers hold; nearly always one
 *       aarg, fscal             addresses and scalars into registers, once
 *       loop over groups        4 elements, or 32 (a word of the mask) when the layout is padded
 *         a vector of 4         acc = first term; acc = acc + term ...; with several passes acc
 *                               begins as `partial`
 *           store               each element under its bit of the mask, when padded
 *         aadd                  all address registers to the next group
 *
 * Address registers: r0 what is stored to, r1 partial, r2 mask, r3.. arrays. FPU registers, with 4
 * elements a vector:
 *
 *     real, integer   f0..3 acc, f4 element, [f5..8 coefficients], then scalars
 *     complex         f0..7 acc, f8 f9 element, f10 f11 products, [f12..19 coefficients], then
 *                     scalars, two each
 *
 * Coefficient registers are set aside only when a term's coefficients come from an array.
 */
#include "combine_compile.h"

#include "../system/emit.h"

#include <stdio.h>
#include <string.h>

#define REG_OUT     0u
#define REG_PARTIAL 1u
#define REG_MASK    2u
#define REG_ARRAYS  3u
#define VECTOR      CM_COMBINE_VECTOR
#define ARRAYS_MAX  (2 * CM_TERMS_MAX)
#define UNUSED      UINT8_MAX

struct compiler {
    struct cm_imp *imp;
    const struct cm_combine_form *form;
    const struct cm_fpu_ops *ops;
    uint32_t components; /* 1, or 2 for complex */
    uint32_t part_words; /* of a component: 1 or 2 */
    /* FPU registers */
    uint32_t element;
    uint32_t product;
    uint32_t coefficients;
    uint32_t scalars;
    /* the pass */
    uint32_t first_term;
    uint32_t end_term;
    uint32_t address_count; /* of arrays */
    uint32_t scalar_count;
    uint8_t address_of[ARRAYS_MAX];  /* address register of array i, or UNUSED */
    uint8_t scalar_of[CM_TERMS_MAX]; /* FPU register of scalar i, or UNUSED */
};

static bool any_by_array(const struct cm_combine_form *form)
{
    for (uint32_t i = 0; i < form->term_count; i++)
        if (form->terms[i].by_array)
            return true;
    return false;
}

static void compiler_init(struct compiler *c, const struct cm_combine_form *form)
{
    memset(c, 0, sizeof(*c));
    c->form = form;
    c->components = cm_type_components(form->type);
    c->part_words = cm_type_slices(form->type) / c->components;
    c->ops = cm_fpu_ops(form->type);
    c->element = VECTOR * c->components;
    c->product = c->element + c->components;
    c->coefficients = c->product + (c->components == 2 ? 2 : 0);
    c->scalars = c->coefficients + (any_by_array(form) ? VECTOR * c->components : 0);
}

static void use_array(struct compiler *c, uint32_t array)
{
    if (c->address_of[array] == UNUSED)
        c->address_of[array] = (uint8_t)(REG_ARRAYS + c->address_count++);
}

static void use_scalar(struct compiler *c, uint32_t scalar)
{
    if (c->scalar_of[scalar] == UNUSED)
        c->scalar_of[scalar] = (uint8_t)(c->scalars + c->components * c->scalar_count++);
}

/* Gives registers to one more term; false when they are too few. */
static bool take_term(struct compiler *c, uint32_t index)
{
    const struct cm_combine_term *term = &c->form->terms[index];
    use_array(c, term->array);
    if (term->by_array)
        use_array(c, term->coefficient);
    else
        use_scalar(c, term->coefficient);
    return REG_ARRAYS + c->address_count <= CM_ADDRESS_REGISTERS &&
           c->scalars + c->components * c->scalar_count <= CM_FPU_REGISTERS;
}

static void begin_pass(struct compiler *c, uint32_t first)
{
    c->first_term = first;
    c->address_count = 0;
    c->scalar_count = 0;
    memset(c->address_of, UNUSED, sizeof(c->address_of));
    memset(c->scalar_of, UNUSED, sizeof(c->scalar_of));
}

uint32_t cm_combine_pass_end(const struct cm_combine_form *form, uint32_t first)
{
    struct compiler c;
    compiler_init(&c, form);
    begin_pass(&c, first);
    uint32_t end = first;
    while (end < form->term_count && take_term(&c, end))
        end++;
    return end;
}

static bool is_last_pass(const struct compiler *c)
{
    return c->end_term == c->form->term_count;
}

/* Word offset of component `part` of the element at `position` of the group. */
static struct cm_operand at(const struct compiler *c, uint32_t reg, uint32_t position,
                            uint32_t part)
{
    return cm_mem(reg, (position * c->components + part) * c->part_words);
}

/* Loads an element into consecutive FPU registers. */
static void load(struct compiler *c, uint32_t to, uint32_t reg, uint32_t position)
{
    for (uint32_t part = 0; part < c->components; part++)
        CM_EMIT(c->imp, c->ops->load, cm_reg(to + part), at(c, reg, position, part));
}

static void emit(struct compiler *c, enum cm_op op, uint32_t to, uint32_t a, uint32_t b)
{
    CM_EMIT(c->imp, op, cm_reg(to), cm_reg(a), cm_reg(b));
}

static void real_product(struct compiler *c, uint32_t acc, uint32_t coefficient, bool first)
{
    if (first)
        emit(c, c->ops->multiply, acc, coefficient, c->element);
    else
        CM_EMIT(c->imp, c->ops->multiply_add, cm_reg(acc), cm_reg(coefficient), cm_reg(c->element),
                cm_reg(acc));
}

static void integer_product(struct compiler *c, uint32_t acc, uint32_t coefficient, bool first)
{
    emit(c, CM_OP_IMUL, first ? acc : c->element, coefficient, c->element);
    if (!first)
        emit(c, CM_OP_IADD, acc, acc, c->element);
}

/* (a + bi)(c + di): the sequence that combine.h promises. */
static void complex_product(struct compiler *p, uint32_t acc, uint32_t coefficient, bool first)
{
    const uint32_t a = coefficient, b = coefficient + 1;
    const uint32_t c = p->element, d = p->element + 1;
    const uint32_t t = p->product, u = p->product + 1;
    emit(p, p->ops->multiply, t, a, c);
    emit(p, p->ops->multiply, u, b, d);
    emit(p, p->ops->subtract, first ? acc : t, t, u);
    if (!first)
        emit(p, p->ops->add, acc, acc, t);
    emit(p, p->ops->multiply, t, a, d);
    CM_EMIT(p->imp, p->ops->multiply_add, cm_reg(first ? acc + 1 : t), cm_reg(b), cm_reg(c),
            cm_reg(t));
    if (!first)
        emit(p, p->ops->add, acc + 1, acc + 1, t);
}

static void emit_term(struct compiler *c, uint32_t index, uint32_t position, uint32_t width)
{
    const struct cm_combine_term *term = &c->form->terms[index];
    if (term->by_array)
        for (uint32_t i = 0; i < width; i++)
            load(c, c->coefficients + i * c->components, c->address_of[term->coefficient],
                 position + i);
    for (uint32_t i = 0; i < width; i++) {
        const uint32_t acc = i * c->components;
        const uint32_t coefficient =
            term->by_array ? c->coefficients + acc : c->scalar_of[term->coefficient];
        load(c, c->element, c->address_of[term->array], position + i);
        if (c->components == 2)
            complex_product(c, acc, coefficient, index == 0);
        else if (c->form->type == CM_TYPE_INT32)
            integer_product(c, acc, coefficient, index == 0);
        else
            real_product(c, acc, coefficient, index == 0);
    }
}

static void emit_vector(struct compiler *c, uint32_t position, uint32_t width)
{
    if (c->first_term > 0)
        for (uint32_t i = 0; i < width; i++)
            load(c, i * c->components, REG_PARTIAL, position + i);
    for (uint32_t term = c->first_term; term < c->end_term; term++)
        emit_term(c, term, position, width);
    for (uint32_t i = 0; i < width; i++) {
        if (c->form->padded)
            CM_EMIT(c->imp, CM_OP_CTXLOAD, cm_mem(REG_MASK, 0), cm_value(position + i));
        for (uint32_t part = 0; part < c->components; part++)
            CM_EMIT(c->imp, c->ops->store, at(c, REG_OUT, position + i, part),
                    cm_reg(i * c->components + part));
    }
}

static void emit_group(struct compiler *c, uint32_t begin, uint32_t end)
{
    for (uint32_t position = begin; position < end; position += VECTOR)
        emit_vector(c, position, end - position < VECTOR ? end - position : VECTOR);
}

static void emit_advance(struct compiler *c, uint32_t group)
{
    const struct cm_operand words = cm_value(group * c->components * c->part_words);
    CM_EMIT(c->imp, CM_OP_AADD, cm_reg(REG_OUT), words);
    if (c->first_term > 0)
        CM_EMIT(c->imp, CM_OP_AADD, cm_reg(REG_PARTIAL), words);
    if (c->form->padded)
        CM_EMIT(c->imp, CM_OP_AADD, cm_reg(REG_MASK), cm_value(1));
    for (uint32_t i = 0; i < c->address_count; i++)
        CM_EMIT(c->imp, CM_OP_AADD, cm_reg(REG_ARRAYS + i), words);
}

/* Addresses and scalars into the registers that take_term gave them. */
static void emit_registers(struct compiler *c)
{
    const struct cm_combine_form *form = c->form;
    const uint32_t out = is_last_pass(c) ? CM_COMBINE_DST : CM_COMBINE_PARTIAL;
    CM_EMIT(c->imp, CM_OP_AARG, cm_reg(REG_OUT), cm_value(out));
    if (c->first_term > 0)
        CM_EMIT(c->imp, CM_OP_AARG, cm_reg(REG_PARTIAL), cm_value(CM_COMBINE_PARTIAL));
    if (form->padded)
        CM_EMIT(c->imp, CM_OP_AARG, cm_reg(REG_MASK), cm_value(CM_COMBINE_MASK));
    for (uint32_t i = 0; i < form->array_count; i++)
        if (c->address_of[i] != UNUSED)
            CM_EMIT(c->imp, CM_OP_AARG, cm_reg(c->address_of[i]), cm_value(CM_COMBINE_ARRAYS + i));
    const uint32_t scalars = CM_COMBINE_ARRAYS + form->array_count;
    for (uint32_t i = 0; i < form->scalar_count; i++)
        for (uint32_t part = 0; c->scalar_of[i] != UNUSED && part < c->components; part++)
            CM_EMIT(c->imp, c->ops->scalar, cm_reg(c->scalar_of[i] + part),
                    cm_value(scalars + i * c->components + part));
}

static void emit_pass(struct compiler *c, uint32_t begin, uint32_t end)
{
    const uint32_t group = c->form->padded ? CM_COMBINE_GROUP : VECTOR;
    const uint64_t groups = c->form->local_elements / group;
    const uint32_t rest = (uint32_t)(c->form->local_elements % group);
    emit_registers(c);
    uint32_t loop = 0;
    if (groups > 1)
        loop = CM_EMIT(c->imp, CM_OP_LOOP, cm_value((int64_t)groups));
    if (groups > 0) {
        emit_group(c, begin, end);
        if (groups > 1 || rest > begin)
            emit_advance(c, group);
    }
    if (groups > 1)
        cm_emit_next(c->imp, loop);
    if (rest > begin)
        emit_group(c, begin, rest < end ? rest : end);
}

static void declare_arguments(struct compiler *c)
{
    const struct cm_combine_form *form = c->form;
    char name[32];
    cm_imp_argument(c->imp, "dst", CM_ARGUMENT_ADDRESS);
    cm_imp_argument(c->imp, "partial", CM_ARGUMENT_ADDRESS);
    cm_imp_argument(c->imp, "mask", CM_ARGUMENT_ADDRESS);
    for (uint32_t i = 0; i < form->array_count; i++) {
        snprintf(name, sizeof(name), "array%u", (unsigned)i + 1);
        cm_imp_argument(c->imp, name, CM_ARGUMENT_ADDRESS);
    }
    for (uint32_t i = 0; i < form->scalar_count; i++)
        for (uint32_t part = 0; part < c->components; part++) {
            const char *suffix = c->components == 1 ? "" : part == 0 ? "_re" : "_im";
            snprintf(name, sizeof(name), "scalar%u%s", (unsigned)i + 1, suffix);
            cm_imp_argument(c->imp, name, CM_ARGUMENT_SCALAR);
        }
}

struct cm_imp *cm_combine_compile(const struct cm_combine_form *form, uint32_t begin, uint32_t end)
{
    struct compiler c;
    compiler_init(&c, form);
    c.imp = cm_imp_create("combine");
    if (!c.imp)
        return NULL;
    declare_arguments(&c);
    for (uint32_t term = 0; term < form->term_count; term = c.end_term) {
        begin_pass(&c, term);
        c.end_term = cm_combine_pass_end(form, term);
        for (uint32_t i = term; i < c.end_term; i++)
            take_term(&c, i);
        emit_pass(&c, begin, end);
    }
    return cm_emit_end(c.imp);
}
