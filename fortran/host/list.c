/* Writes list-directed output, in the forms of gfortran. */
#include "io.h"

#include <inttypes.h>
#include <string.h>

static void put_real_of(uint8_t type, const union cm_fortran_value *value, uint32_t part,
                        bool in_width, struct cm_buffer *text)
{
    bool is_wide = type == CM_TYPE_REAL64 || type == CM_TYPE_COMPLEX128;
    double real = type == CM_TYPE_REAL32      ? (double)value->real
                  : type == CM_TYPE_REAL64    ? value->real64
                  : type == CM_TYPE_COMPLEX64 ? (double)value->complex[part]
                                              : value->complex128[part];
    cm_fortran_list_real(is_wide, real, in_width, text);
}

/* Appends a complex number, right-justified in `width` characters. */
static void put_complex(uint8_t type, const union cm_fortran_value *value, int width,
                        struct cm_buffer *text)
{
    struct cm_buffer parts;
    cm_buffer_init(&parts);
    cm_buffer_append(&parts, "(", 1);
    put_real_of(type, value, 0, false, &parts);
    cm_buffer_append(&parts, ",", 1);
    put_real_of(type, value, 1, false, &parts);
    cm_buffer_append(&parts, ")", 1);
    if (cm_buffer_ok(&parts))
        cm_buffer_printf(text, "%*s", width, parts.data);
    else
        text->failed = true;
    cm_buffer_finish(&parts);
}

/* Appends a text between two `quote` characters. Doubles these characters within the text. */
static void put_quoted(const struct cm_fortran_text *value, char quote, struct cm_buffer *text)
{
    cm_buffer_append(text, &quote, 1);
    for (uint32_t i = 0; i < value->length; i++) {
        cm_buffer_append(text, &value->bytes[i], 1);
        if (value->bytes[i] == quote)
            cm_buffer_append(text, &quote, 1);
    }
    cm_buffer_append(text, &quote, 1);
}

void cm_fortran_list_put(uint8_t type, const union cm_fortran_value *value, bool is_quoted,
                         struct cm_buffer *text)
{
    switch (type) {
    case CM_TYPE_INT32:
        cm_buffer_printf(text, is_quoted ? "%-11" PRId32 : " %11" PRId32, value->integer);
        break;
    case CM_TYPE_LOGICAL:
        cm_buffer_printf(text, is_quoted ? "%c" : " %c", value->logical ? 'T' : 'F');
        break;
    case CM_TYPE_REAL32:
    case CM_TYPE_REAL64:
        if (!is_quoted)
            cm_buffer_append(text, " ", 1);
        put_real_of(type, value, 0, true, text);
        break;
    case CM_FORTRAN_CHARACTER:
        if (is_quoted)
            put_quoted(&value->text, '"', text);
        else
            cm_buffer_append(text, value->text.bytes, value->text.length);
        break;
    default:
        if (!is_quoted)
            cm_buffer_append(text, " ", 1);
        put_complex(type, value, is_quoted ? 0 : type == CM_TYPE_COMPLEX64 ? 35 : 53, text);
        break;
    }
}

enum cm_status cm_fortran_list_write(struct cm_fortran_transfer *t, uint8_t type,
                                     union cm_fortran_value *value)
{
    const char quote = t->unit != NULL ? t->unit->quote : '\0';
    bool is_text = type == CM_FORTRAN_CHARACTER, begins = t->line.length == 0 && t->item == 1;
    bool joins = is_text && t->was_text && quote == '\0';
    struct cm_buffer text;
    cm_buffer_init(&text);
    cm_fortran_list_put(type, value, false, &text);
    if (is_text && quote != '\0') {
        text.length = 0;
        put_quoted(&value->text, quote, &text);
    }
    enum cm_status status = cm_buffer_ok(&text) ? CM_OK : cm_fortran_no_memory(t->run);
    /* a record of an internal file ends where the next item does not fit */
    if (status == CM_OK && t->unit == NULL && !begins &&
        t->position + text.length + is_text > t->internal.length)
        status = cm_fortran_record_write(t);
    if (status == CM_OK && is_text && !joins)
        status = cm_fortran_put(t, " ", 1);
    if (status == CM_OK && text.length > 0)
        status = cm_fortran_put(t, text.data, text.length);
    t->was_text = is_text;
    cm_buffer_finish(&text);
    return status == CM_OK ? cm_fortran_record_pass(t) : status;
}
