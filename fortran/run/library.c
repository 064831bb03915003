/* Executes the procedures of check/library.def: PSHIFT of CMSSL (section 3 and figure 4 of the
 * PSHIFT paper), timers, and random numbers. */
#include "run_private.h"

#include "../../base/random.h"

#include <inttypes.h>
#include <string.h>

/* Finds a type of shift by its number in Fortran programs. The built-in header cmssl-cmf.h numbers
 * the types from 1 (source/headers.c). */
static bool find_type(int64_t value, enum cm_shift_type *type)
{
    *type = (enum cm_shift_type)(value - 1);
    return value >= 1 && value <= CM_SHIFT_TYPE_COUNT;
}

/* Arguments of a library call. The functions take_*() evaluate them from left to right. */
struct arguments {
    struct cm_fortran_run *run;
    struct cm_fortran_expression *const *args;
    uint32_t count, at;
    struct cm_source_place place;
};

static enum cm_status take(struct arguments *arguments, const struct cm_fortran_expression **arg)
{
    *arg = NULL;
    if (arguments->at == arguments->count)
        return cm_fortran_fail(arguments->run, arguments->place, "the call has too few arguments");
    *arg = arguments->args[arguments->at++];
    return CM_OK;
}

static enum cm_status take_integer(struct arguments *arguments, int64_t *value)
{
    const struct cm_fortran_expression *arg;
    enum cm_status status = take(arguments, &arg);
    return status == CM_OK ? cm_fortran_integer(arguments->run, arg, value) : status;
}

static enum cm_status take_array(struct arguments *arguments, struct cm_array **array)
{
    const struct cm_fortran_expression *arg;
    struct cm_fortran_array *found;
    enum cm_status status = take(arguments, &arg);
    if (status != CM_OK)
        return status;
    if (arg->kind != CM_FORTRAN_VARIABLE || arg->rank == 0)
        return cm_fortran_fail(arguments->run, arg->place, "PSHIFT takes whole arrays");
    status = cm_fortran_array_of(arguments->run, arg->variable, arg->place, &found);
    if (status == CM_OK && !cm_fortran_on_machine(found))
        status =
            cm_fortran_fail(arguments->run, arg->place, "%s is not on the CM", arg->variable->name);
    *array = status == CM_OK ? found->machine : NULL;
    return status;
}

/* Takes the argument that is the type of a shift. In a call of PSHIFT, the arrays follow, and then
 * the arguments that take_place() reads. */
static enum cm_status take_type(struct arguments *arguments, enum cm_shift_type *type)
{
    int64_t value = 0;
    enum cm_status status = take_integer(arguments, &value);
    if (status == CM_OK && !find_type(value, type))
        status = cm_fortran_fail(arguments->run, arguments->args[arguments->at - 1]->place,
                                 "%" PRId64 " is not a type of shift", value);
    return status;
}

static enum cm_status take_place(struct arguments *arguments, uint32_t rank, uint32_t *axis,
                                 int64_t *distance)
{
    int64_t dim = 1;
    enum cm_status status = take_integer(arguments, &dim);
    if (status == CM_OK && (dim < 1 || dim > rank))
        return cm_fortran_fail(arguments->run, arguments->args[arguments->at - 1]->place,
                               "the dimension is %" PRId64 "; the array has rank %" PRIu32, dim,
                               rank);
    if (status == CM_OK)
        status = take_integer(arguments, distance);
    *axis = (uint32_t)dim - 1;
    return status;
}

/* Takes the error code argument IER and sets it to 0, because an error stops the program. */
static enum cm_status take_code(struct arguments *arguments)
{
    static const union cm_fortran_value none = {.integer = 0};
    const struct cm_fortran_expression *arg;
    enum cm_status status = take(arguments, &arg);
    return status == CM_OK ? cm_fortran_assign_scalar(arguments->run, arg, &none) : status;
}

static enum cm_status take_count(struct arguments *arguments, uint32_t *count)
{
    int64_t value = 0;
    enum cm_status status = take_integer(arguments, &value);
    if (status == CM_OK && (value < 1 || value > CM_PSHIFT_MAX))
        return cm_fortran_fail(arguments->run, arguments->args[arguments->at - 1]->place,
                               "%" PRId64 " shifts; PSHIFT makes 1 to %u", value, CM_PSHIFT_MAX);
    *count = (uint32_t)value;
    return status;
}

static enum cm_status pshift_setup(struct arguments *arguments, enum cm_setup_kind kind,
                                   union cm_fortran_value *value)
{
    struct cm_fortran_run *run = arguments->run;
    struct cm_fortran_pshift made = {.used = true};
    struct cm_array *prototype = NULL;
    enum cm_status status = take_count(arguments, &made.count);
    if (status == CM_OK)
        status = take_array(arguments, &prototype);
    if (status == CM_OK)
        status = take_code(arguments);
    for (uint32_t i = 0; i < made.count && status == CM_OK; i++) {
        struct cm_pshift_pattern *pattern = &made.patterns[i];
        status = take_type(arguments, &pattern->type);
        if (status == CM_OK)
            status =
                take_place(arguments, prototype->layout.rank, &pattern->axis, &pattern->distance);
    }
    if (status != CM_OK)
        return status;
    if (!cm_list_room(&run->pshifts, (uint64_t)run->pshifts.count + 1))
        return cm_fortran_no_memory(run);
    made.layout = prototype->layout;
    status = cm_pshift_setup(
        run->system, &(struct cm_pshift_request){kind, &made.layout, made.patterns, made.count},
        &made.id, run->err);
    if (status != CM_OK)
        return status;
    cm_list_push(&run->pshifts, made);
    value->integer = (int32_t)run->pshifts.count;
    return CM_OK;
}

static enum cm_status take_setup(struct arguments *arguments, struct cm_fortran_pshift **setup)
{
    int64_t id;
    enum cm_status status = take_integer(arguments, &id);
    if (status != CM_OK)
        return status;
    struct cm_fortran_run *run = arguments->run;
    if (id < 1 || id > run->pshifts.count || !run->pshifts.items[id - 1].used)
        return cm_fortran_fail(run, arguments->args[arguments->at - 1]->place,
                               "%" PRId64 " is not the id of a PSHIFT setup", id);
    *setup = &run->pshifts.items[id - 1];
    return CM_OK;
}

static enum cm_status take_boundary(struct arguments *arguments, struct cm_shift *shift)
{
    const struct cm_fortran_expression *arg;
    union cm_fortran_value value;
    struct cm_array *array;
    if (shift->type == CM_SHIFT_EOSHIFT_ARRAY && arguments->at < arguments->count &&
        arguments->args[arguments->at]->rank > 0) {
        enum cm_status status = take_array(arguments, &array);
        shift->boundary_array = array;
        return status;
    }
    if (shift->type != CM_SHIFT_EOSHIFT_SCALAR && shift->type != CM_SHIFT_EOSHIFT_ARRAY)
        return CM_OK;
    enum cm_status status = take(arguments, &arg);
    if (status == CM_OK)
        status = cm_fortran_scalar(arguments->run, arg, &value);
    if (status != CM_OK)
        return status;
    union cm_fortran_value converted;
    enum cm_type type = shift->src->layout.type;
    cm_fortran_convert((enum cm_type)arg->type, type, &value, &converted);
    if (type == CM_TYPE_LOGICAL)
        shift->boundary_scalar.words[0] = converted.logical;
    else
        memcpy(shift->boundary_scalar.words, &converted, cm_type_host_bytes(type));
    return CM_OK;
}

static enum cm_status pshift(struct arguments *arguments)
{
    struct cm_shift shifts[CM_PSHIFT_MAX] = {{0}};
    struct cm_fortran_pshift *setup;
    uint32_t count = 0;
    enum cm_status status = take_count(arguments, &count);
    if (status == CM_OK)
        status = take_setup(arguments, &setup);
    /* the id is copied, because the evaluation of an argument may make further setups and move
     * `setup` */
    int id = status == CM_OK ? setup->id : 0;
    if (status == CM_OK)
        status = take_code(arguments);
    for (uint32_t i = 0; i < count && status == CM_OK; i++) {
        struct cm_array *src = NULL;
        status = take_type(arguments, &shifts[i].type);
        if (status == CM_OK)
            status = take_array(arguments, &shifts[i].dst);
        if (status == CM_OK)
            status = take_array(arguments, &src);
        if (status == CM_OK)
            status = take_place(arguments, src->layout.rank, &shifts[i].axis, &shifts[i].distance);
        shifts[i].src = src;
        if (status == CM_OK)
            status = take_boundary(arguments, &shifts[i]);
    }
    if (status == CM_OK)
        status = cm_pshift_call(arguments->run->system, id, shifts, count, arguments->run->err);
    return status;
}

static enum cm_status deallocate(struct arguments *arguments)
{
    struct cm_fortran_pshift *setup;
    enum cm_status status = take_setup(arguments, &setup);
    if (status != CM_OK)
        return status;
    setup->used = false;
    return cm_pshift_deallocate(arguments->run->system, setup->id, arguments->run->err);
}

/* ---- random numbers: splitmix64 (base/random.h), in Fortran order of the elements ---- */

/* Draws a random number: a real that is at least 0 and less than 1, or an integer from 0 to limit -
 * 1. The number has the upper bits of the generator's output. */
static void draw(struct cm_fortran_run *run, enum cm_type type, int64_t limit,
                 union cm_fortran_value *value)
{
    uint64_t bits = cm_random_next(&run->random_state);
    if (type == CM_TYPE_INT32)
        value->integer = (int32_t)(limit > 0 ? (bits >> 33) % (uint64_t)limit : bits >> 33);
    else if (type == CM_TYPE_REAL32)
        value->real = (float)(bits >> 40) * 0x1p-24f;
    else
        value->real64 = (double)(bits >> 11) * 0x1p-53;
}

/* Executes CMF_RANDOMIZE: restarts the random numbers from a seed. */
static enum cm_status randomize(struct arguments *arguments)
{
    int64_t seed;
    enum cm_status status = take_integer(arguments, &seed);
    if (status == CM_OK)
        arguments->run->random_state = (uint64_t)seed;
    return status;
}

static enum cm_status fill_randomly(struct arguments *arguments)
{
    const struct cm_fortran_expression *harvest;
    struct cm_fortran_run *run = arguments->run;
    union cm_fortran_value value = {0};
    struct cm_fortran_array *values = NULL;
    int64_t limit = 0;
    enum cm_status status = take(arguments, &harvest);
    enum cm_type type = (enum cm_type)harvest->type;
    if (status == CM_OK && arguments->at < arguments->count &&
        arguments->args[arguments->at] != NULL)
        status = take_integer(arguments, &limit);
    if (status != CM_OK)
        return status;
    if (harvest->rank == 0) {
        draw(run, type, limit, &value);
        return cm_fortran_assign_scalar(run, harvest, &value);
    }
    struct cm_fortran_section section;
    status = cm_fortran_section_find(run, harvest, &section);
    if (status != CM_OK)
        return status;
    status = cm_fortran_array_host(run, type, section.rank, section.extent, &values);
    cm_fortran_section_finish(&section);
    for (uint64_t e = 0; status == CM_OK && e < values->elements; e++) {
        draw(run, type, limit, &value);
        cm_fortran_store(type, values->host, e, &value);
    }
    if (status == CM_OK)
        status = cm_fortran_host_assign(run, harvest, values, NULL);
    cm_fortran_array_destroy(run, values);
    return status;
}

/* ---- timers of the machine's busy time and of elapsed time ---- */

static double seconds(const struct cm_fortran_run *run, uint64_t cycles)
{
    const struct cm_config *config = cm_machine_config(cm_system_machine(run->system));
    return (double)cycles / (double)config->clock_hz;
}

/* Adds the time since the last update to a running timer, in cycles. The front end waits for the
 * machine, as it must to read a timer of the machine. */
static void update_timer(struct cm_fortran_run *run, struct cm_fortran_timer *timer)
{
    struct cm_machine *machine = cm_system_machine(run->system);
    cm_machine_wait(machine);
    struct cm_counters now = cm_machine_counters(machine);
    if (timer->running) {
        timer->busy += now.cycles - timer->since_busy;
        timer->elapsed += now.elapsed_cycles - timer->since_elapsed;
    }
    timer->since_busy = now.cycles;
    timer->since_elapsed = now.elapsed_cycles;
}

static enum cm_status time_it(struct arguments *arguments, enum cm_fortran_library library,
                              union cm_fortran_value *value)
{
    struct cm_fortran_run *run = arguments->run;
    int64_t number;
    enum cm_status status = take_integer(arguments, &number);
    if (status == CM_OK && (number < 0 || number >= CM_FORTRAN_TIMERS))
        status = cm_fortran_fail(run, arguments->place, "timer %" PRId64 "; there are 0 to %u",
                                 number, CM_FORTRAN_TIMERS - 1);
    if (status != CM_OK)
        return status;
    struct cm_fortran_timer *timer = &run->timers[number];
    update_timer(run, timer);
    switch (library) {
    case CM_FORTRAN_CM_TIMER_CLEAR:
        *timer = (struct cm_fortran_timer){0};
        break;
    case CM_FORTRAN_CM_TIMER_START:
        timer->running = true;
        timer->starts++;
        break;
    case CM_FORTRAN_CM_TIMER_STOP:
        timer->running = false;
        break;
    case CM_FORTRAN_CM_TIMER_PRINT:
        cm_buffer_printf(
            &run->output,
            "Timer %" PRId64 ": started %" PRIu32 " times, CM busy %.9f s, elapsed %.9f s\n",
            number, timer->starts, seconds(run, timer->busy), seconds(run, timer->elapsed));
        break;
    case CM_FORTRAN_CM_TIMER_READ_CM_BUSY:
        value->real64 = seconds(run, timer->busy);
        break;
    default:
        value->real64 = seconds(run, timer->elapsed);
        break;
    }
    return CM_OK;
}

enum cm_status cm_fortran_library(struct cm_fortran_run *run, enum cm_fortran_library library,
                                  struct cm_fortran_expression *const *args, uint32_t count,
                                  struct cm_source_place place, union cm_fortran_value *value)
{
    struct arguments arguments = {.run = run, .args = args, .count = count, .place = place};
    union cm_fortran_value ignored;
    value = value != NULL ? value : &ignored;
    switch (library) {
    case CM_FORTRAN_PSHIFT_SETUP:
        return pshift_setup(&arguments, CM_SETUP_UNROLLED, value);
    case CM_FORTRAN_PSHIFT_SETUP_LOOPED:
        return pshift_setup(&arguments, CM_SETUP_LOOPED, value);
    case CM_FORTRAN_PSHIFT:
        return pshift(&arguments);
    case CM_FORTRAN_DEALLOCATE_PSHIFT_SETUP:
        return deallocate(&arguments);
    case CM_FORTRAN_RANDOM_NUMBER:
    case CM_FORTRAN_CMF_RANDOM:
        return fill_randomly(&arguments);
    case CM_FORTRAN_CMF_AREF_1D:
    case CM_FORTRAN_CMF_ASET_1D:
        return cm_fortran_table(run, args, count, place, library == CM_FORTRAN_CMF_ASET_1D);
    case CM_FORTRAN_CMF_RANDOMIZE:
        return randomize(&arguments);
    default:
        return time_it(&arguments, library, value);
    }
}
