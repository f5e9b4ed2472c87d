#include "decoders/lzo1z/copy_far.h"

namespace tickpath::lzo1z {

CopyFar copy_far = copy_far_base;

namespace {

[[maybe_unused]] const bool is_chosen = [] {
    if (__builtin_cpu_supports("avx2") != 0) copy_far = copy_far_avx2;
    return true;
}();

}  // namespace
}  // namespace tickpath::lzo1z
