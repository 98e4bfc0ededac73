// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "bench/adapter_rows.h"
#include "src/adapters/mlir/static_memory_planner.h"
#include "tests/adapters/mlir_host.h"

namespace stowage::bench {

AdapterRow MlirRow(const AdapterInput& input) {
  adapters::MlirAllocs allocs;
  for (const ByteRecord& record : input.records) {
    allocs.push_back({static_cast<int64_t>(record.tensor_size), 64,
                      static_cast<int64_t>(record.first_task),
                      static_cast<int64_t>(record.last_task + 1)});
  }
  AdapterRow row;
  std::vector<int64_t> host;
  row.host_us =
      MicrosecondsOf([&] { host = adapters::PlanAsMlir(64, allocs); });
  for (size_t i = 0; i < allocs.size(); ++i) {
    row.host_total = std::max(
        row.host_total, static_cast<size_t>(host[i] + allocs[i].sizeInBytes));
  }
  row.us = MicrosecondsOf([&] {
    const auto plan =
        adapters::PlanMlirArena(64, allocs, &adapters::PlanAsMlir);
    if (!plan.ok()) return;
    row.total = plan->total;
    row.bound = plan->lower_bound;
  });
  return row;
}

}  // namespace stowage::bench
