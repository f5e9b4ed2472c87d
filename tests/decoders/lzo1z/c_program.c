/* What only a C compiler can say about decoders/lzo1z/tickpath_lzo1z.h: that it is C, and that its structures
 * go through a call unharmed. Called by tickpath_lzo1z_test.cc. */
#include "decoders/lzo1z/tickpath_lzo1z.h"

int comes_back_whole_in_c(const char* text, size_t size);

/* 1 when `text` of at most 1,000 bytes is the same after compression and decompression at either level. */
int comes_back_whole_in_c(const char* text, size_t size) {
    static const enum tickpath_lzo1z_level levels[] = {TICKPATH_LZO1Z_FAST, TICKPATH_LZO1Z_SMALL};
    static unsigned short workspace[TICKPATH_LZO1Z_WORKSPACE_SIZE / sizeof(unsigned short)];
    char block[2000];
    char back[1000 + TICKPATH_LZO1Z_OUTPUT_SLACK];
    if (size > 1000 || tickpath_lzo1z_max_compressed_size(size) > sizeof block) return 0;
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; ++i) {
        const tickpath_lzo1z_result packed =
            tickpath_lzo1z_compress(text, size, block, sizeof block, workspace, levels[i]);
        const tickpath_lzo1z_result result =
            tickpath_lzo1z_decompress(block, packed.written, back, sizeof back);
        if (packed.error != TICKPATH_LZO1Z_OK || result.error != TICKPATH_LZO1Z_OK) return 0;
        if (result.written != size || result.consumed != packed.written) return 0;
        for (size_t at = 0; at < size; ++at)
            if (back[at] != text[at]) return 0;
    }
    return 1;
}
