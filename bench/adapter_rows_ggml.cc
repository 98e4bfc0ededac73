// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <vector>

#include "bench/adapter_rows.h"
#include "src/adapters/ggml/chunk_planner.h"
#include "stowage/tensor_size.h"
#include "tests/adapters/ggml_host.h"

namespace stowage::bench {

AdapterRow GgmlRow(const AdapterInput& input) {
  const adapters::GgmlAllocator allocator = {64, size_t{1} << 40};
  std::vector<adapters::GgmlRecord> records;
  for (const ByteRecord& record : input.records) {
    const size_t size = AlignUp(record.tensor_size, allocator.alignment);
    records.push_back(
        {{size, record.first_task, record.last_task}, 0, records.size()});
  }
  AdapterRow row;
  std::vector<adapters::GgmlAddress> host;
  row.host_us = MicrosecondsOf([&] {
    adapters::HostMemory memory(allocator);
    host = adapters::HostAddressesOf(records, &memory);
  });
  row.us = row.host_us + MicrosecondsOf([&] {
             const auto plan =
                 adapters::PlanGgmlAllocator(allocator, records, host);
             if (!plan.ok()) return;
             row.host_total = plan->host_total;
             row.total = plan->total;
             row.bound = plan->lower_bound;
           });
  return row;
}

}  // namespace stowage::bench
