/* Turns the events of an observed run into points, at which the debugger may stop, and effects,
 * which may hit breakpoints. */
#include "../sim/router/router.h"
#include "debug_private.h"

static void step_begins(void *context, const char *op, const char *where,
                        const struct cm_counters *counters)
{
    struct cm_debug *debug = context;
    debug->at.step++;
    debug->at.op = op;
    debug->at.where = where;
    debug->at.file = NULL;
    debug->at.line = debug->at.depth = 0;
    cm_debug_reach(debug, CM_DEBUG_STEP, counters);
}

static void step_ends(void *context, const struct cm_counters *counters)
{
    cm_debug_match_causes(context, counters);
}

static void line_begins(void *context, const struct cm_observed_line *line)
{
    struct cm_debug *debug = context;
    debug->at.file = line->file;
    debug->at.line = line->line;
    debug->at.depth = line->depth;
    debug->at.source = line->source;
    debug->at.source_length = line->length;
    cm_debug_reach(debug, CM_DEBUG_LINE, NULL);
}

static void run_begins(void *context, const struct cm_observed_start *start)
{
    struct cm_debug *debug = context;
    debug->at.imp = start->imp;
    debug->at.runs++;
    cm_debug_match_causes(debug, start->counters);
}

static void fetched(void *context, uint32_t pc, const struct cm_counters *counters)
{
    struct cm_debug *debug = context;
    debug->at.pc = pc;
    cm_debug_reach(debug, CM_DEBUG_INSTRUCTION, counters);
}

static void issued(void *context, const struct cm_observed_issue *issue)
{
    cm_debug_match_issue(context, issue);
}

static void run_ends(void *context, const struct cm_counters *counters)
{
    struct cm_debug *debug = context;
    cm_debug_match_causes(debug, counters);
    debug->at.imp = NULL;
}

static void router_begins(void *context, const struct cm_router_options *options, uint64_t cycle)
{
    struct cm_debug *debug = context;
    debug->at.routing = true;
    debug->at.router_dimensions = options->dimensions;
    debug->at.router_cycle = cycle;
    cm_debug_reach(debug, CM_DEBUG_ROUTER, NULL);
}

static void packets_hop(void *context, const struct cm_observed_hops *hops)
{
    struct cm_debug *debug = context;
    const uint32_t dimensions = debug->at.router_dimensions;
    for (uint32_t i = 0; i < hops->count; i++) {
        const uint32_t channel = hops->channels[i];
        debug->at.hop = (struct cm_debug_hop){
            .packet = hops->packets[i],
            .node = channel / 2 / dimensions,
            .dimension = channel / 2 % dimensions,
            .channel = channel % 2,
            .asked = hops->asked[i],
            .first = hops->first,
        };
        cm_debug_reach(debug, CM_DEBUG_HOP, NULL);
        cm_debug_match_hop(debug, &debug->at.hop);
    }
}

static void router_ends(void *context, uint64_t first_cycle, const struct cm_counters *counters)
{
    struct cm_debug *debug = context;
    (void)first_cycle;
    debug->at.routing = false;
    cm_debug_match_causes(debug, counters);
    cm_debug_reach(debug, CM_DEBUG_ROUTED, counters);
}

void cm_debug_observe(struct cm_debug *debug)
{
    debug->observer = (struct cm_observer){
        .context = debug,
        .run_begins = run_begins,
        .fetched = fetched,
        .issued = issued,
        .run_ends = run_ends,
        .router_begins = router_begins,
        .packets_hop = packets_hop,
        .router_ends = router_ends,
        .step_begins = step_begins,
        .step_ends = step_ends,
        .line_begins = line_begins,
    };
    cm_run_observe(debug->run, &debug->observer);
}
