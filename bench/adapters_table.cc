// SPDX-License-Identifier: Apache-2.0
// Runs each adapter on recorded traces and prints the results as a Markdown
// table. The columns are the total of the host's planner, the total of the
// adapter, the lower bound, and the time of the adapter divided by the time of
// the host's planner alone. The arguments are traces.
//
// The planners of the hosts are replaced by models from the tests
// (tests/adapters/NAME_host.h). A model makes the same plans as its host, but
// not in the same time.
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

#include "bench/adapter_rows.h"
#include "stowage/io/problem_file.h"

namespace stowage::bench {
namespace {

struct Adapter {
  const char* name;
  AdapterRow (*row)(const AdapterInput& input);
};

constexpr Adapter kAdapters[] = {
    {"ggml", &GgmlRow},         {"MLIR", &MlirRow}, {"nativert", &NativertRow},
    {"OpenVINO", &OpenvinoRow}, {"XLA", &XlaRow},
};

void PrintRow(const char* adapter, const std::string& input,
              const AdapterRow& row) {
  std::printf("| %s | %s | %zu | %zu | %zu | %.2f | %.0f |\n", adapter,
              input.c_str(), row.host_total, row.total, row.bound,
              row.us / row.host_us, row.us);
  std::fflush(stdout);
}

int Main(const std::vector<std::string>& paths) {
  std::printf(
      "| adapter | input | host, bytes | adapter, bytes | bound, bytes | "
      "time / host's | us |\n"
      "|---|---|--:|--:|--:|--:|--:|\n");
  for (const Adapter& adapter : kAdapters) {
    AdapterRow sum;
    for (const std::string& path : paths) {
      const auto file = ReadProblemFile(path);
      if (!file.ok()) {
        std::fprintf(stderr, "stowage_adapters_table: %s\n",
                     file.status().ToString().c_str());
        return 1;
      }
      const std::string name = path.substr(path.rfind('/') + 1);
      const AdapterRow row = adapter.row({name, file->problem.records});
      PrintRow(adapter.name, name, row);
      sum.host_total += row.host_total;
      sum.total += row.total;
      sum.bound += row.bound;
      sum.host_us += row.host_us;
      sum.us += row.us;
    }
    PrintRow(adapter.name, "all", sum);
  }
  return 0;
}

}  // namespace
}  // namespace stowage::bench

int main(int argc, char** argv) {
  return stowage::bench::Main({argv + std::min(argc, 1), argv + argc});
}
