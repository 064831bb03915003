/* The step shift: a circular shift of messages over the nodes, by the methods of the textbook
 * (Grama et al.). */
#include "network_step.h"

#include <inttypes.h>

static const char *const topology_names[] = {"ring", "mesh", "hypercube", "linear", NULL};
static const char *const method_names[] = {"phases",  "signed",  "e-cube",
                                           "forward", "shorter", NULL};
static const char *const labels_names[] = {"binary", "gray", NULL};

static const struct cm_key keys[] = {
    CM_KEY(INTEGER, "by", struct cm_step_network_keys, network.shift.by,
           "label i sends to (i + by) mod nodes", .required = true, .min = 1,
           .max = CM_CIRCULAR_NODES_MAX - 1),
    CM_KEY(NAME, "topology", struct cm_step_network_keys, network.shift.topology,
           "what the messages travel over", .names = topology_names,
           .initial = CM_TOPOLOGY_HYPERCUBE),
    CM_KEY(INTEGER, "words", struct cm_step_network_keys, network.shift.words,
           "32-bit words of a message", .min = 1, .max = CM_ROUTER_WORDS_MAX, .initial = 1),
    CM_KEY(INTEGER, "nodes", struct cm_step_network_keys, network.shift.nodes,
           "labels; a ring or mesh may have fewer nodes than the cube that it is mapped to",
           .min = 2, .max = CM_CIRCULAR_NODES_MAX, .otherwise = "the whole machine"),
    CM_KEY_FORM("shape", "[rows, columns]", "rows_columns", "of a mesh", .otherwise = "square"),
    CM_KEY(NAME, "method", struct cm_step_network_keys, network.shift.method,
           "on the hypercube: phases forward only, signed phases, or e-cube through the router; on "
           "a mesh: forward only, or in the shorter direction",
           .names = method_names, .otherwise = "phases on the hypercube, shorter on a mesh"),
    CM_KEY(NAME, "labels", struct cm_step_network_keys, network.shift.labels,
           "of e-cube: which node has label i", .names = labels_names,
           .otherwise = "binary for e-cube, gray for the others"),
    CM_UNIT_KEYS,
};

static void read_shape(struct cm_reader *reader, struct cm_json object, struct cm_network_step *own)
{
    struct cm_circular *shift = &own->shift;
    struct cm_json shape;
    if (!cm_read_optional(reader, object, "shape", &shape))
        return;
    if (shift->topology != CM_TOPOLOGY_MESH)
        cm_reader_fail(reader, shape, "shape is for a mesh, but the topology is %s",
                       topology_names[shift->topology]);
    cm_read_kind(reader, shape, CM_JSON_ARRAY, "shape");
    if (cm_reader_ok(reader) && cm_json_count(shape) != 2)
        cm_reader_fail(reader, shape, "shape has %" PRIu32 " numbers, expected rows, columns",
                       cm_json_count(shape));
    if (!cm_reader_ok(reader))
        return;
    uint64_t rows =
        cm_read_u64(reader, cm_json_at(shape, 0, NULL), "rows", 1, CM_CIRCULAR_NODES_MAX);
    uint64_t columns =
        cm_read_u64(reader, cm_json_at(shape, 1, NULL), "columns", 1, CM_CIRCULAR_NODES_MAX);
    if (rows * columns > CM_CIRCULAR_NODES_MAX)
        cm_reader_fail(reader, shape, "the mesh has %" PRIu64 " nodes, expected at most %u",
                       rows * columns, CM_CIRCULAR_NODES_MAX);
    shift->rows = (uint32_t)rows;
    shift->columns = (uint32_t)columns;
    if (!own->nodes_given)
        shift->nodes = shift->rows * shift->columns;
    own->nodes_given = true;
}

/* Refuses a topology that the method does not support, and labels on a topology other than the
 * hypercube. */
static void check_topology(struct cm_reader *reader, struct cm_json object,
                           struct cm_circular *shift)
{
    static const char *const with_article[] = {"a ring", "a mesh", "the hypercube",
                                               "a linear array"};
    struct cm_json json;
    bool mesh = shift->topology == CM_TOPOLOGY_MESH,
         cube = shift->topology == CM_TOPOLOGY_HYPERCUBE;
    bool given = cm_read_optional(reader, object, "method", &json);
    if (given && !mesh && !cube)
        cm_reader_fail(reader, json, "method is for the hypercube or a mesh, not for %s",
                       with_article[shift->topology]);
    else if (given && cm_reader_ok(reader) && mesh != (shift->method >= CM_CIRCULAR_FORWARD)) {
        cm_reader_fail(reader, json, "the method %s is not for %s", method_names[shift->method],
                       with_article[shift->topology]);
        cm_reader_hint(reader, "phases, signed and e-cube are for the hypercube, forward and "
                               "shorter for a mesh");
    }
    if (mesh && !given)
        shift->method = CM_CIRCULAR_SHORTER;
    if (!cube && cm_read_optional(reader, object, "labels", &json))
        cm_reader_fail(reader, json, "labels are for the hypercube, not for %s",
                       with_article[shift->topology]);
}

/* Refuses keys that only the method e-cube has. */
static void check_method(struct cm_reader *reader, struct cm_json object, struct cm_circular *shift)
{
    struct cm_json json;
    bool binary = shift->labels == CM_LABELS_BINARY;
    check_topology(reader, object, shift);
    if (shift->topology == CM_TOPOLOGY_HYPERCUBE && shift->method == CM_CIRCULAR_ECUBE)
        return;
    if (cm_read_optional(reader, object, "th", &json)) {
        cm_reader_fail(reader, json,
                       "th is for the method e-cube: in a step every message goes to a neighbour");
        cm_reader_hint(reader, "leave th out; ts and tw say what a step costs");
    }
    if (!binary && cm_read_optional(reader, object, "labels", &json)) {
        cm_reader_fail(reader, json, "labels are for the method e-cube; %s always has Gray labels",
                       method_names[shift->method]);
        cm_reader_hint(reader, "leave labels out, or take the method e-cube");
    }
    if (binary && cm_read_optional(reader, object, "labels", &json)) {
        cm_reader_fail(reader, json, "%s works on Gray labels only", method_names[shift->method]);
        cm_reader_hint(reader, "leave labels out, or take the method e-cube");
    }
    shift->labels = CM_LABELS_GRAY;
}

static void read_shift(struct cm_workload *workload, struct cm_workload_step *step,
                       struct cm_reader *reader)
{
    struct cm_network_step *own = &((struct cm_step_network_keys *)step->own)->network;
    struct cm_json json;
    (void)workload;
    own->is_shift = true;
    own->nodes_given = cm_read_optional(reader, step->body, "nodes", &json);
    read_shape(reader, step->body, own);
    check_method(reader, step->body, &own->shift);
    cm_step_network_read_units(reader, step->body, own);
}

const struct cm_step_kind cm_step_shift = {
    .name = "shift",
    .summary = "a circular shift of messages over a ring, mesh or hypercube",
    .example = "{\"shift\": {\"by\": 3, \"topology\": \"ring\", \"words\": 4}}",
    .keys = keys,
    .key_count = CM_COUNT_OF(keys),
    .own_bytes = sizeof(struct cm_step_network_keys),
    .state_bytes = sizeof(struct cm_network *),
    .read = read_shift,
    .prepare = cm_step_network_prepare,
    .run = cm_step_network_run,
    .check = cm_step_network_check,
    .report = cm_step_network_write_report,
    .sent = cm_step_network_words,
    .finish = cm_step_network_finish,
};
