/* The LZO1Z codec for C and whatever can call C. Same rules as decompress.h and compress.h, which hold the
 * documentation; nothing here allocates or keeps anything between calls. */
#ifndef TICKPATH_LZO1Z_H
#define TICKPATH_LZO1Z_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Any value may come from C. C++ needs the type to be written for that: else a value beyond the list is
 * undefined behaviour already where it is read. */
#ifdef __cplusplus
#define TICKPATH_LZO1Z_ANY_VALUE : unsigned
#else
#define TICKPATH_LZO1Z_ANY_VALUE
#endif

enum tickpath_lzo1z_error TICKPATH_LZO1Z_ANY_VALUE {
    TICKPATH_LZO1Z_OK = 0,
    TICKPATH_LZO1Z_INPUT_OVERRUN = 1,
    TICKPATH_LZO1Z_OUTPUT_OVERRUN = 2,
    TICKPATH_LZO1Z_LOOKBEHIND_OVERRUN = 3,
    TICKPATH_LZO1Z_TRAILING_INPUT = 4
};

enum tickpath_lzo1z_level TICKPATH_LZO1Z_ANY_VALUE { TICKPATH_LZO1Z_FAST = 0, TICKPATH_LZO1Z_SMALL = 1 };

/* Room behind the decompressed bytes with which decompression is fastest; any capacity is right. */
#define TICKPATH_LZO1Z_OUTPUT_SLACK 96
/* Bytes of workspace that compression needs, aligned as for a 2-byte integer. */
#define TICKPATH_LZO1Z_WORKSPACE_SIZE 20480

typedef struct tickpath_lzo1z_result {
    size_t written;  /* valid bytes of the output */
    size_t consumed; /* bytes of the block used; in an error, where the failing instruction begins */
    enum tickpath_lzo1z_error error;
} tickpath_lzo1z_result;

tickpath_lzo1z_result tickpath_lzo1z_decompress(const void* block, size_t block_size, void* out,
                                                size_t capacity);

/* `consumed` is the input's size, or 0 in an error (OUTPUT_OVERRUN only). */
tickpath_lzo1z_result tickpath_lzo1z_compress(const void* input, size_t input_size, void* out,
                                              size_t capacity, void* workspace,
                                              enum tickpath_lzo1z_level level);

size_t tickpath_lzo1z_max_compressed_size(size_t input_size);

/* One phrase for a person. Never NULL. */
const char* tickpath_lzo1z_describe(enum tickpath_lzo1z_error error);

#ifdef __cplusplus
}
#endif

#endif
