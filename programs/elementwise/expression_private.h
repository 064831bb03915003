/* Representation of an expression, for the files of this folder. This header is not installed. */
#ifndef CM_PROGRAMS_ELEMENTWISE_EXPRESSION_PRIVATE_H
#define CM_PROGRAMS_ELEMENTWISE_EXPRESSION_PRIVATE_H

#include "../../base/list.h"
#include "expression.h"

/* Kinds of nodes that are not operations. Their numbers continue those of the operations. */
enum {
    CM_NODE_ARRAY = CM_EXPRESSION_OP_COUNT,
    CM_NODE_SCALAR,
    CM_NODE_CONSTANT,
    CM_NODE_INDEX,
    CM_NODE_CONVERT,
    /* element of a table. Operand 0 is the array argument, operand 1 the index node */
    CM_NODE_LOOKUP
};

/*
 * Node of the graph. The members fill the struct without padding, so that nodes can be compared by
 * their bytes.
 */
struct cm_node {
    uint32_t op;
    uint32_t type; /* an enum cm_type */
    /* numbers of the operand nodes. For a leaf, [0] is the number of the argument or axis */
    uint32_t operands[3];
    /* value of a constant, or count and stride of a table. Otherwise zeros */
    struct cm_scalar value;
};

/* Assignment to an element of a table. */
struct cm_expression_place {
    struct cm_expression_table table;
    /* numbers of the nodes of index, value and mask. Mask 0: everywhere */
    uint32_t index, value, mask;
};

struct cm_expression_array {
    bool used;
    enum cm_type type;
    uint32_t before; /* number of the node for the array as it was at the call */
    uint32_t now;    /* number of the node for the array after the assignments so far */
    bool assigned;
    bool scattered; /* true if elements of a table are assigned */
};

struct cm_expression_scalar {
    bool used;
    enum cm_type type;
};

struct cm_expression {
    CM_LIST(struct cm_node) nodes; /* nodes of the graph, by their numbers. Node 0 is unused */
    uint32_t *buckets;             /* hash table of node numbers. 0: the bucket is free */
    uint32_t bucket_count;         /* number of buckets, a power of two */
    struct cm_expression_array arrays[CM_EXPRESSION_ARRAYS_MAX];
    struct cm_expression_scalar scalars[CM_EXPRESSION_SCALARS_MAX];
    /* for each axis, true if the expression uses the index along this axis */
    bool indices[CM_RANK_MAX];
    /* numbers of arrays, in the order of their first assignment */
    uint32_t assigned[CM_EXPRESSION_ARRAYS_MAX];
    uint32_t assigned_count;
    CM_LIST(struct cm_expression_place) places; /* assignments to elements of tables */
    bool failed;
    struct cm_error error; /* first error, valid if `failed` */
};

static inline bool cm_type_is_complex(enum cm_type type)
{
    return type == CM_TYPE_COMPLEX64 || type == CM_TYPE_COMPLEX128;
}
static inline bool cm_type_is_real(enum cm_type type)
{
    return type == CM_TYPE_REAL32 || type == CM_TYPE_REAL64;
}
/* Returns true for a type of 64 bits, or of two 64-bit parts. */
static inline bool cm_type_is_wide(enum cm_type type)
{
    return type == CM_TYPE_REAL64 || type == CM_TYPE_COMPLEX128;
}
/* Returns the type of a complex number's parts, or the type itself if it is not complex. */
static inline enum cm_type cm_type_of_part(enum cm_type type)
{
    return !cm_type_is_complex(type) ? type
           : cm_type_is_wide(type)   ? CM_TYPE_REAL64
                                     : CM_TYPE_REAL32;
}
static inline enum cm_type cm_complex_of(enum cm_type part)
{
    return cm_type_is_wide(part) ? CM_TYPE_COMPLEX128 : CM_TYPE_COMPLEX64;
}

/* Returns the number of the node equal to *node, which is added if it is new. */
uint32_t cm_expression_intern(struct cm_expression *expression, const struct cm_node *node);
/* Sets the error of an expression to CM_NO_MEMORY. Returns node 0. */
uint32_t cm_expression_out_of_memory(struct cm_expression *expression);
/* Sets the error of an expression, if it has no error yet. Returns node 0. */
uint32_t cm_expression_refuse(struct cm_expression *expression, const char *hint,
                              const char *format, ...) CM_PRINTF(3, 4);

/* Converts a constant as cm_expression_convert converts nodes. */
struct cm_scalar cm_expression_fold(enum cm_type from, struct cm_scalar value, enum cm_type to);

#endif
