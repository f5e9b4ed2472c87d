/* Prints the prices and sizes of a packet: read_prices templates/fast/demo/demo.xml */
#include <inttypes.h>
#include <stdio.h>

#include "decoders/fast/tickpath_fast.h"

static const unsigned char packet[] = {0xE0, 0x02, 0xAD, 0x87, 0x89, 0x82, 0x98, 0x85, 0x81, 0x00, 0x53,
                                       0xDB, 0x8B, 0x80, 0x80, 0xA0, 0xB1, 0x82, 0xFD, 0x81, 0x80};

int main(int argc, char** argv) {
    char text[1000];
    tickpath_templates* const templates =
        argc > 1 ? tickpath_templates_load_file(argv[1], text, sizeof text) : NULL;
    if (templates == NULL) return 1;
    const uint32_t refresh = tickpath_template_by_name(templates, "DemoIncremental");
    tickpath_field entries, price, size;
    if (tickpath_field_find(templates, refresh, "MDEntries", &entries) != 0) return 1;
    if (tickpath_field_find(templates, refresh, "MDEntries/MDEntryPx", &price) != 0) return 1;
    if (tickpath_field_find(templates, refresh, "MDEntries/MDEntrySize", &size) != 0) return 1;

    const tickpath_decoder_options options = {.reset = TICKPATH_RESET_DATAGRAM};
    tickpath_decoder* const decoder = tickpath_decoder_new(templates, options);
    tickpath_decoder_begin(decoder, packet, sizeof packet, 0);
    for (tickpath_message message; tickpath_decoder_next(decoder, &message);) {
        for (size_t i = 0; i < tickpath_row_count(message.root, entries); ++i) {
            const tickpath_row row = tickpath_row_at(message.root, entries, i);
            tickpath_decimal_text(tickpath_decimal_of(row, price), text, sizeof text);
            printf("%s %" PRId64 "\n", text, tickpath_i64(row, size));
        }
    }
    const int failed = tickpath_decoder_error(decoder, NULL) != 0;
    tickpath_decoder_free(decoder);
    tickpath_templates_free(templates);
    return failed;
}
