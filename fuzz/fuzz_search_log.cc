// SPDX-License-Identifier: Apache-2.0
// Replays any steps as a proof that records do not fit a capacity. No plan of
// this library may refute what the steps prove, and the log of the library's
// own search must prove what it claims.
//
// The input consists of records, a capacity, and steps until the end of the
// bytes.
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "fuzz/check.h"
#include "fuzz/engine.h"
#include "fuzz/exact_plan.h"
#include "fuzz/input.h"
#include "src/proof/search_log.h"
#include "src/proof/search_replay.h"
#include "stowage/lower_bound.h"
#include "stowage/planner.h"
#include "stowage/problem.h"
#include "stowage/solution.h"
#include "stowage/usage_record.h"

namespace stowage {
namespace {

using certificate::SearchReplay;

constexpr size_t kMaxRecords = 7;
constexpr size_t kMaxTasks = 7;
constexpr size_t kMaxSteps = 4096;

// Generates records with few tasks and small sizes, so that ties, gaps and
// tight fits are common. Sometimes the first record is fixed.
ProblemSpec TakeSpec(Input* input) {
  ProblemSpec spec;
  std::vector<TensorUsageRecord<size_t>> records;
  const size_t count = 1 + input->UpTo(kMaxRecords - 1);
  for (size_t i = 0; i < count; ++i) {
    const size_t size = input->UpTo(15);
    const size_t first = input->UpTo(kMaxTasks - 1);
    records.emplace_back(size, first, first + input->UpTo(3));
    spec.alignments.push_back(size_t{1} << input->UpTo(3));
    spec.fixed_offsets.emplace_back();
  }
  if (input->Flag()) spec.fixed_offsets[0] = 8 * input->UpTo(2);
  spec.records = std::move(records);
  return spec;
}

void TakeStep(Input* input, SearchReplay* replay) {
  const size_t number = input->UpTo(kMaxTasks + 3);
  absl::Status status;
  switch (input->UpTo(7)) {
    case 0:
    case 1:
      status = replay->Place(number);
      break;
    case 2:
      status = replay->Part(number);
      break;
    case 3:
      status = replay->Full(number, input->UpTo(63));
      break;
    case 4:
      status = replay->Stuck(number);
      break;
    case 5:
    case 6:
      status = replay->Close();
      break;
    default:
      status = replay->Abandon();
      break;
  }
  Check(status.ok() || absl::IsInvalidArgument(status), status.ToString());
}

void CheckOwnLog(const Problem& problem, const Solution& solution) {
  const SearchProof& proof = solution.search_proof;
  std::string text;
  const absl::Status written =
      WriteSearchLog(problem, solution, [&](absl::string_view piece) {
        absl::StrAppend(&text, piece);
        return absl::OkStatus();
      });
  Check(written.ok(), written.ToString());
  const absl::StatusOr<size_t> bound = certificate::BoundOfSearchLog(
      problem, {proof.records, proof.capacity, proof.unit, text});
  Check(bound.ok(), absl::StrCat(bound.status().ToString(), "\n", text));
  Check(*bound > proof.capacity, "a bound that its log does not prove");
}

void Fuzz(Input* input) {
  const absl::StatusOr<Problem> problem = Problem::Create(TakeSpec(input));
  if (!problem.ok()) return;
  const Solution solution = SolveExactly(*problem);
  if (!solution.search_proof.records.empty()) CheckOwnLog(*problem, solution);
  const size_t capacity = LowerBoundOf(*problem).bytes + input->UpTo(7);
  SearchReplay replay(*problem, AllRecordsOf(*problem), capacity);
  for (size_t k = 0; k < kMaxSteps && !input->is_empty(); ++k) {
    TakeStep(input, &replay);
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
