/* What only a C compiler can say about decoders/fast/tickpath_fast.h: that it is C, and that values go
 * through a call unharmed. Called by c_entry_test.cc. */
#include "decoders/fast/tickpath_fast.h"

int64_t sum_of_mantissas_in_c(const char* xml, size_t xml_size, const void* data, size_t size);

/* Adds up the mantissas of the decimal `Entries/Price` of all messages of template 1; -1 when anything fails.
 */
int64_t sum_of_mantissas_in_c(const char* xml, size_t xml_size, const void* data, size_t size) {
    int64_t sum = 0;
    tickpath_field entries;
    tickpath_field price;
    tickpath_message message;
    tickpath_decoder_options options = {.reset = TICKPATH_RESET_DATAGRAM};
    tickpath_templates* const templates = tickpath_templates_load(xml, xml_size, "in C", NULL, 0);
    tickpath_decoder* const decoder = templates == NULL ? NULL : tickpath_decoder_new(templates, options);
    if (decoder == NULL || tickpath_field_find(templates, 0, "Entries", &entries) != 0 ||
        tickpath_field_find(templates, 0, "Entries/Price", &price) != 0)
        return -1;
    tickpath_decoder_begin(decoder, data, size, 0);
    while (tickpath_decoder_next(decoder, &message))
        for (size_t i = 0; i < tickpath_row_count(message.root, entries); ++i)
            sum += tickpath_decimal_of(tickpath_row_at(message.root, entries, i), price).mantissa;
    if (tickpath_decoder_error(decoder, NULL) != 0) sum = -1;
    tickpath_decoder_free(decoder);
    tickpath_templates_free(templates);
    return sum;
}
