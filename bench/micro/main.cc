// tickpath-bench: every micro bench of the tree in one Google Benchmark program.
#include <benchmark/benchmark.h>

BENCHMARK_MAIN();
