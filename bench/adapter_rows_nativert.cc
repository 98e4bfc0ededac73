// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <vector>

#include "bench/adapter_rows.h"
#include "src/adapters/nativert/layout_planner.h"
#include "stowage/lower_bound.h"
#include "stowage/problem.h"
#include "stowage/tensor_size.h"
#include "tests/adapters/nativert_host.h"

namespace stowage::bench {

// The host does not align offsets, so its callers pad the sizes.
AdapterRow NativertRow(const AdapterInput& input) {
  std::vector<nativert_host::AllocationSpec> specs;
  ProblemSpec problem;
  for (const ByteRecord& record : input.records) {
    const size_t size = AlignUp(record.tensor_size, 64);
    specs.push_back({{record.first_task, record.last_task}, size});
    problem.records.emplace_back(size, record.first_task, record.last_task);
  }
  AdapterRow row;
  row.host_us = MicrosecondsOf(
      [&] { row.host_total = nativert_host::PlanBySize(specs).total_size; });
  row.us = MicrosecondsOf([&] {
    row.total =
        adapters::PlanLayout(specs, &nativert_host::PlanBySize)->total_size;
  });
  row.bound = LowerBoundOf(*Problem::Create(problem)).bytes;
  return row;
}

}  // namespace stowage::bench
