// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <vector>

#include "bench/adapter_rows.h"
#include "src/adapters/openvino/memory_solver.h"
#include "tests/adapters/openvino_host.h"

namespace stowage::bench {

// The host does not align offsets, so its callers divide sizes by the
// alignment.
AdapterRow OpenvinoRow(const AdapterInput& input) {
  constexpr int64_t kUnit = 64;
  std::vector<ov::MemorySolver::Box> boxes;
  for (const ByteRecord& record : input.records) {
    boxes.push_back(
        {static_cast<int>(record.first_task),
         static_cast<int>(record.last_task),
         (static_cast<int64_t>(record.tensor_size) + kUnit - 1) / kUnit,
         static_cast<int64_t>(boxes.size())});
  }
  const auto bytes = [](int64_t units) {
    return static_cast<size_t>(units * kUnit);
  };
  AdapterRow row;
  row.host_us = MicrosecondsOf([&] {
    ov::MemorySolver solver(boxes);
    row.host_total = bytes(solver.solve());
  });
  row.us = MicrosecondsOf([&] {
    adapters::MemorySolver<ov::MemorySolver> solver(boxes);
    row.total = bytes(solver.solve());
  });
  row.bound = bytes(ov::MemorySolver(boxes).max_depth());
  return row;
}

}  // namespace stowage::bench
