/* The FAST decoder and encoder for C, and for every language that calls C: templates from XML, messages from
 * bytes, values from messages. Opaque handles, plain values, no exception ever leaves. What the calls mean is
 * told at length in decoder.h and message.h; RESETS.md is about the one option that must be right.
 *
 * Threads: templates may be shared by any number of decoders on any threads; one decoder belongs to one
 * thread. Memory: decoding takes none from the heap; everything is taken by the functions that end in _load,
 * _load_file and _new, which return NULL when there is not enough.
 */
#ifndef TICKPATH_FAST_H
#define TICKPATH_FAST_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- errors ---- */

/* 0 is none. The numbers may change between versions; codes and texts are for people and logs. */
typedef int32_t tickpath_error;
/* The code as specification and reports spell it: "ok", "D5", "truncated". Never NULL. */
const char* tickpath_error_code(tickpath_error error);
/* One phrase: "the template identifier is unknown". Never NULL. */
const char* tickpath_error_text(tickpath_error error);

/* ---- templates ---- */

typedef struct tickpath_templates tickpath_templates;
#define TICKPATH_NO_TEMPLATE UINT32_MAX

/* Loads a template file, or XML in memory (`name` stands for the file in messages). Returns NULL when there
 * was an error. What was found, errors and warnings, one a line with file and line number, goes to
 * `findings`, cut to `findings_size` bytes with its 0; NULL and 0 when nobody wants to know. */
tickpath_templates* tickpath_templates_load_file(const char* path, char* findings, size_t findings_size);
tickpath_templates* tickpath_templates_load(const char* xml, size_t xml_size, const char* name,
                                            char* findings, size_t findings_size);
/* Decoders made of them go on: they hold what they need. NULL is fine. */
void tickpath_templates_free(tickpath_templates* templates);

/* Templates that can be met on the wire have the indexes 0 … count - 1. */
uint32_t tickpath_templates_count(const tickpath_templates* templates);
/* TICKPATH_NO_TEMPLATE when there is none. */
uint32_t tickpath_template_by_name(const tickpath_templates* templates, const char* name);
uint32_t tickpath_template_by_id(const tickpath_templates* templates, uint32_t id);
/* The name, or the id where the file gives none; NULL for an index that is out of range. */
const char* tickpath_template_name(const tickpath_templates* templates, uint32_t index);

/* ---- fields: found once by path, then only read ---- */

typedef enum tickpath_type {
    TICKPATH_TYPE_U32,
    TICKPATH_TYPE_I32,
    TICKPATH_TYPE_U64,
    TICKPATH_TYPE_I64,
    TICKPATH_TYPE_DECIMAL,
    TICKPATH_TYPE_ASCII,
    TICKPATH_TYPE_UNICODE,
    TICKPATH_TYPE_BYTES,
    TICKPATH_TYPE_GROUP,
    TICKPATH_TYPE_SEQUENCE,
    TICKPATH_TYPE_DYNAMIC,   /* a dynamic template reference */
    TICKPATH_TYPE_NONE = 255 /* there is no such field: reads as absent everywhere */
} tickpath_type;

/* Where a field lies in its row. Only `type` is for the caller. */
typedef struct tickpath_field {
    uint16_t slot;
    uint16_t presence;
    uint16_t row_words;
    uint8_t type; /* a tickpath_type */
    uint8_t constant;
} tickpath_field;

/* "MsgSeqNum", "Group/Inner", "MDEntries", "MDEntries/MDEntryPx": the last one is for the rows of the
 * sequence. Returns 0, or an error and a field of type TICKPATH_TYPE_NONE. */
tickpath_error tickpath_field_find(const tickpath_templates* templates, uint32_t template_index,
                                   const char* path, tickpath_field* field);

/* ---- decoding ---- */

/* Any value may come from C. C++ needs the type to be written for that: else a value beyond the list is
 * undefined behaviour already where it is read. */
#ifdef __cplusplus
#define TICKPATH_ANY_VALUE : unsigned
#else
#define TICKPATH_ANY_VALUE
#endif

/* When dictionaries are forgotten: the feed's property, see RESETS.md. */
typedef enum tickpath_reset_rule TICKPATH_ANY_VALUE {
    TICKPATH_RESET_MESSAGE,    /* before each message */
    TICKPATH_RESET_DATAGRAM,   /* at each tickpath_decoder_begin */
    TICKPATH_RESET_NEVER,      /* only by reset attributes in the templates, and tickpath_decoder_reset */
    TICKPATH_RESET_TEMPLATE_ID /* by a message with reset_template_id */
} tickpath_reset_rule;

/* What ends in the error `limit`, and what memory is taken for. 0 is the default of `Limits` in decoder.h. */
typedef struct tickpath_limits {
    uint32_t
        datagram_bytes_max; /* longest input that is copied for want of tailroom; of a stream: a message */
    uint32_t sequence_length_max;
    uint32_t string_bytes_max;
    uint32_t entity_bytes_max;          /* one stop-bit integer */
    uint32_t map_bytes_max;             /* one presence map */
    uint32_t dynamic_depth_max;         /* dynamic references inside one another */
    uint32_t row_words_max;             /* 8-byte slots of all rows of one message */
    uint32_t scratch_bytes_max;         /* texts put together by delta and tail in one datagram */
    uint32_t dictionary_text_bytes_max; /* one text that outlives its datagram in a dictionary */
} tickpath_limits;

typedef struct tickpath_decoder_options {
    tickpath_reset_rule reset;
    uint32_t reset_template_id; /* of TICKPATH_RESET_TEMPLATE_ID */
    int strict;                 /* not 0: reportable errors (R2, R6-R9) end a message */
    tickpath_limits limits;     /* all 0: the defaults */
} tickpath_decoder_options;

typedef struct tickpath_decoder tickpath_decoder;
/* NULL for a rule that is none of the above. */
tickpath_decoder* tickpath_decoder_new(const tickpath_templates* templates, tickpath_decoder_options options);
void tickpath_decoder_free(tickpath_decoder* decoder); /* NULL is fine */

/* A message, or an element of a sequence. A value; valid until the decoder's next _next or _begin. */
typedef struct tickpath_row {
    const void* words;
    const void* context;
} tickpath_row;

typedef struct tickpath_message {
    uint32_t template_index; /* TICKPATH_NO_TEMPLATE for a reset message that is known by its id alone */
    uint32_t template_id;
    uint32_t start; /* byte offsets in the datagram; end is one past the last byte */
    uint32_t end;
    tickpath_row root;
} tickpath_message;

/* Takes a datagram, framing removed. Its bytes must stay until the last tickpath_decoder_next; they are not
 * written to. `writable_tailroom` bytes behind them may be overwritten; 0 unless the buffer is the caller's
 * own. With 64 or more the datagram need not be copied. */
void tickpath_decoder_begin(tickpath_decoder* decoder, const void* data, size_t size,
                            size_t writable_tailroom);
/* Decodes one message: 1. At the end of the datagram, and after an error, 0: ask tickpath_decoder_error
 * which. */
int tickpath_decoder_next(tickpath_decoder* decoder, tickpath_message* message);

/* What went wrong, and where; texts are valid until the decoder's next call, and "" when unknown. */
typedef struct tickpath_error_place {
    tickpath_error error;
    uint32_t offset; /* byte of the datagram */
    uint32_t template_id;
    const char* template_name;
    const char* field; /* path */
} tickpath_error_place;
/* 0 when the datagram was decoded to its end. `place` may be NULL. */
tickpath_error tickpath_decoder_error(tickpath_decoder* decoder, tickpath_error_place* place);

/* Forgets all dictionaries. After an error, where dictionaries outlive the message, everything is refused as
 * "poisoned" until this, or a resetting message. */
void tickpath_decoder_reset(tickpath_decoder* decoder);

/* ---- decoding a stream (TCP): bytes arrive in pieces, and a message that is not whole yet is no error ----
 */

typedef struct tickpath_stream tickpath_stream;
/* NULL for a rule that is none. A stream has no datagrams: TICKPATH_RESET_DATAGRAM means never. */
tickpath_stream* tickpath_stream_new(const tickpath_templates* templates, tickpath_decoder_options options);
void tickpath_stream_free(tickpath_stream* stream); /* NULL is fine */
/* Takes all that was received and not consumed yet; the first byte begins a message. The rest as
 * tickpath_decoder_begin. */
void tickpath_stream_begin(tickpath_stream* stream, const void* received, size_t size,
                           size_t writable_tailroom);
/* Decodes one message: 1. When the next one is not whole yet, and after an error, 0. `start` and `end` of the
 * message count from the first byte given to _begin, and wrap at 4 GiB. */
int tickpath_stream_next(tickpath_stream* stream, tickpath_message* message);
/* Bytes that delivered messages took: the caller gives the others, and what came behind them, to the next
 * _begin. */
size_t tickpath_stream_consumed(const tickpath_stream* stream);
/* 0 while more bytes are all that is missing. Behind an error a stream cannot go on. */
tickpath_error tickpath_stream_error(tickpath_stream* stream, tickpath_error_place* place);
/* As tickpath_decoder_reset. */
void tickpath_stream_reset(tickpath_stream* stream);

/* ---- values: a field that is absent, or of another type than the function is for, reads as 0, empty, no
 * rows ----
 *
 * A field must be used with rows of its own template and level; with others it reads something else. */

typedef struct tickpath_decimal { /* mantissa times ten to the power of exponent, exactly as it was sent */
    int64_t mantissa;
    int32_t exponent;
} tickpath_decimal;

int tickpath_has(tickpath_row row, tickpath_field field);
uint64_t tickpath_u64(tickpath_row row, tickpath_field field);
int64_t tickpath_i64(tickpath_row row, tickpath_field field);
tickpath_decimal tickpath_decimal_of(tickpath_row row, tickpath_field field);
/* Of an ascii, unicode or bytes field: copies at most size - 1 bytes and a 0, and returns the length that it
 * has. */
size_t tickpath_text(tickpath_row row, tickpath_field field, char* out, size_t size);
/* Elements of a sequence. An index out of range gives a row in which nothing is present. */
size_t tickpath_row_count(tickpath_row row, tickpath_field field);
tickpath_row tickpath_row_at(tickpath_row row, tickpath_field field, size_t index);
/* The message behind a dynamic reference; returns its template's index, or TICKPATH_NO_TEMPLATE when absent.
 */
uint32_t tickpath_dynamic(const tickpath_templates* templates, tickpath_row row, tickpath_field field,
                          tickpath_row* inner);

/* As an integer with `places` digits after the point: (10715, -2) at 4 places is 1071500. An error, and
 * *scaled as it was, when digits would be lost or int64_t overflows. */
tickpath_error tickpath_decimal_at_places(tickpath_decimal decimal, int places, int64_t* scaled);
/* Below, equal or above 0 as `a` is below, equal to or above `b` as a number. */
int tickpath_decimal_compare(tickpath_decimal a, tickpath_decimal b);
/* Plain shortest text, "107.15" for (10715, -2) and (1071500, -4). Like tickpath_text. */
size_t tickpath_decimal_text(tickpath_decimal decimal, char* out, size_t size);

/* ---- encoding: build a message from values, then write it by the templates that decode it ---- */

typedef struct tickpath_builder tickpath_builder;
tickpath_builder* tickpath_builder_new(const tickpath_templates* templates);
void tickpath_builder_free(tickpath_builder* builder); /* NULL is fine */

/* A message or an element that is being built. A value; good until the builder's next begin. */
typedef struct tickpath_row_builder {
    void* builder;
    uint32_t node;
    uint32_t generation;
} tickpath_row_builder;

/* Begins a message; what was built before is gone, also when there is no such template. The setters return 1,
 * or 0 when the row has no such field or the value does not fit it; the first such failure is what
 * tickpath_encode then returns. */
tickpath_row_builder tickpath_builder_begin(tickpath_builder* builder, uint32_t template_index);
int tickpath_set_u64(tickpath_row_builder row, tickpath_field field, uint64_t value);
int tickpath_set_i64(tickpath_row_builder row, tickpath_field field, int64_t value);
int tickpath_set_decimal(tickpath_row_builder row, tickpath_field field, tickpath_decimal value);
int tickpath_set_text(tickpath_row_builder row, tickpath_field field, const char* text, size_t size);
/* One more element at the end of a sequence. */
tickpath_row_builder tickpath_add_element(tickpath_row_builder row, tickpath_field sequence);
/* The message behind a dynamic reference, to be filled in by the fields of that template. */
tickpath_row_builder tickpath_set_dynamic(tickpath_row_builder row, tickpath_field reference,
                                          uint32_t template_index);
/* An optional group that is there, whatever is set of its fields, or an optional constant. */
int tickpath_set_present(tickpath_row_builder row, tickpath_field field);
/* A sequence that is there and has no elements. */
int tickpath_set_empty(tickpath_row_builder row, tickpath_field sequence);

typedef struct tickpath_encoder_options {
    tickpath_reset_rule reset; /* the decoder's */
    uint32_t reset_template_id;
    int sends_everything; /* not 0: every field that can be; else nothing that the decoder's dictionary knows
                           */
} tickpath_encoder_options;

typedef struct tickpath_encoder tickpath_encoder;
/* NULL for a rule that is none. The encoder and the builders it is given must be of the same templates. */
tickpath_encoder* tickpath_encoder_new(const tickpath_templates* templates, tickpath_encoder_options options);
void tickpath_encoder_free(tickpath_encoder* encoder); /* NULL is fine */
/* A datagram begins: with TICKPATH_RESET_DATAGRAM its dictionaries do. */
void tickpath_encoder_begin_datagram(tickpath_encoder* encoder);
void tickpath_encoder_reset(tickpath_encoder* encoder);
/* Writes what was built to the front of `out`. Returns 0 and the bytes written, or an error and 0 bytes: what
 * cannot be represented is never a wrong message, and leaves the dictionary as it was. */
tickpath_error tickpath_encode(tickpath_encoder* encoder, tickpath_builder* builder, void* out, size_t size,
                               size_t* written);

#ifdef __cplusplus
}
#endif

#endif
