// SPDX-License-Identifier: Apache-2.0
// Replays any steps as a proof that no plan of shared objects for some records
// fits a capacity. No plan of this library may refute what the steps prove.
//
// The input consists of records, a capacity, and steps until the end of the
// bytes.
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "fuzz/check.h"
#include "fuzz/engine.h"
#include "fuzz/exact_plan.h"
#include "fuzz/input.h"
#include "src/proof/objects_replay.h"
#include "stowage/problem.h"
#include "stowage/profile.h"
#include "stowage/solution.h"

namespace stowage {
namespace {

using certificate::ObjectsReplay;

constexpr size_t kMaxRecords = 7;
constexpr size_t kMaxTasks = 6;
constexpr size_t kMaxSize = 15;
constexpr size_t kMaxSteps = 4096;

using Records = std::vector<ByteRecord>;

// Generates records with few tasks and small sizes, so that shared objects and
// ties are common.
Records TakeRecords(Input* input) {
  Records records;
  const size_t count = 1 + input->UpTo(kMaxRecords - 1);
  for (size_t i = 0; i < count; ++i) {
    const size_t size = 1 + input->UpTo(kMaxSize - 1);
    const size_t first = input->UpTo(kMaxTasks - 1);
    records.emplace_back(size, first, first + input->UpTo(3));
  }
  return records;
}

// Sets the weight of each record that is live at `task` to its size, and all
// other weights to 0. No two records that are live at `task` can be in one
// object.
absl::Status WeighTask(const Records& records, size_t task,
                       ObjectsReplay* replay) {
  absl::Status status;
  for (size_t i = 0; i < records.size(); ++i) {
    const bool is_live =
        records[i].first_task <= task && task <= records[i].last_task;
    status.Update(replay->SetWeight(i, is_live ? records[i].tensor_size : 0));
  }
  return status;
}

absl::Status TakeStep(const Records& records, Input* input,
                      ObjectsReplay* replay) {
  const size_t kind = input->UpTo(8);
  const size_t record = input->UpTo(kMaxRecords);
  // Usually uses the size of an existing record.
  const size_t size = record < records.size() ? records[record].tensor_size
                                              : input->UpTo(kMaxSize + 1);
  switch (kind) {
    case 0:
      return replay->SplitCount(size, input->UpTo(kMaxRecords),
                                ObjectsReplay::First::kLower);
    case 1:
      return replay->SplitCount(size, input->UpTo(kMaxRecords),
                                ObjectsReplay::First::kUpper);
    case 2:
      return replay->SplitRecord(input->UpTo(kMaxRecords), size);
    case 3:
      return replay->SetWeight(record, input->Number());
    case 4:
      return replay->SetPriceOfLeast(size, input->Number());
    case 5:
      return replay->SetPriceOfMost(size, input->Number());
    case 6:
      return WeighTask(records, record, replay);
    case 7:
      return replay->Refute(input->Number());
    default:
      return replay->Refute(1);
  }
}

void Fuzz(Input* input) {
  ProblemSpec spec;
  spec.kind = PlanKind::kObjects;
  const Records records = TakeRecords(input);
  spec.records = records;
  const Problem problem = Problem::Create(std::move(spec)).value();
  const Solution solution = SolveExactly(problem);
  const size_t capacity = input->UpTo(2 * solution.total_size);
  ObjectsReplay replay(records, AllRecordsOf(problem), capacity);
  for (size_t k = 0; k < kMaxSteps && !input->is_empty(); ++k) {
    const absl::Status status = TakeStep(records, input, &replay);
    Check(status.ok() || absl::IsInvalidArgument(status), status.ToString());
  }
  CheckProof(replay.IsProved(), capacity, solution);
}

}  // namespace
}  // namespace stowage

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  stowage::Input input(data, size);
  stowage::Fuzz(&input);
  return 0;
}
