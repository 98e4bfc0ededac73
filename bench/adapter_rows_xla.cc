// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "absl/types/span.h"
#include "bench/adapter_rows.h"
#include "src/adapters/xla/repacker.h"
#include "stowage/lower_bound.h"
#include "stowage/problem.h"
#include "tests/adapters/xla_host.h"

namespace stowage::bench {

// Each block is colocated with no other block, and the heap has no limit.
AdapterRow XlaRow(const AdapterInput& input) {
  constexpr int64_t kAlignment = 64;
  constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max();
  std::vector<xla_host::AllocationBlock> blocks(input.records.size());
  std::vector<xla_host::AllocationBlock*> pointers;
  for (size_t i = 0; i < blocks.size(); ++i) {
    xla_host::AllocationBlock& block = blocks[i];
    block.inclusive_start_time =
        static_cast<int64_t>(input.records[i].first_task);
    block.end_time = static_cast<int64_t>(input.records[i].last_task);
    block.size = static_cast<int64_t>(input.records[i].tensor_size);
    block.id = static_cast<int64_t>(i);
    block.next_colocated = &block;
    pointers.push_back(&block);
  }
  const auto height = [&blocks] {
    int64_t highest = 0;
    for (const auto& block : blocks) {
      highest = std::max(highest, block.offset + block.size);
    }
    return static_cast<size_t>(highest);
  };
  xla_host::FirstFitRepacker host(kNoLimit, kAlignment);
  adapters::XlaRepacker<xla_host::Repacker> repacker(kNoLimit, kAlignment,
                                                     &host);
  AdapterRow row;
  row.host_us =
      MicrosecondsOf([&] { (void)host.Repack(absl::MakeSpan(pointers)); });
  row.host_total = height();
  row.us =
      MicrosecondsOf([&] { (void)repacker.Repack(absl::MakeSpan(pointers)); });
  row.total = height();
  ProblemSpec spec;
  spec.records = input.records;
  spec.alignment = static_cast<size_t>(kAlignment);
  row.bound = LowerBoundOf(*Problem::Create(spec)).bytes;
  return row;
}

}  // namespace stowage::bench
