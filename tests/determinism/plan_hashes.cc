// SPDX-License-Identifier: Apache-2.0
// Prints a hash of the plans of every strategy, for each of the shipped traces
// and for a trace that searches do not solve. The hashes are the same for every
// compiler, level of optimization and number of threads. If plans were changed
// on purpose, this command accepts the new ones:
//
//   plan_hashes data/traces > tests/determinism/plan_hashes.txt
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "stowage/io/problem_file.h"
#include "stowage/registry.h"
#include "stowage/stowage.h"
#include "tests/support/hard_records.h"
#include "tests/support/plan_request.h"

namespace {

using stowage::ObjectsAssignment;
using stowage::OffsetsAssignment;
using stowage::PlanKind;
using stowage::ProblemFile;
using stowage::Solution;
using stowage::support::PlanRequest;

// The maximum number of nodes of a search. With a time limit, plans would
// depend on the machine.
constexpr uint64_t kNodes = 20'000;

// Computes the 64-bit FNV-1a hash of numbers.
class Hash {
 public:
  void Add(uint64_t value) {
    for (int i = 0; i < 8; ++i) {
      state_ = (state_ ^ (value >> 8 * i & 0xff)) * 1099511628211u;
    }
  }
  void Add(const std::vector<size_t>& values) {
    Add(values.size());
    for (const size_t value : values) Add(value);
  }
  uint64_t state() const { return state_; }

 private:
  uint64_t state_ = 14695981039346656037u;
};

// Returns the hash of an answer. If a strategy refuses a trace or gives up, its
// answer is the code of the error.
uint64_t HashOf(const absl::StatusOr<Solution>& plan) {
  Hash hash;
  hash.Add(static_cast<uint64_t>(plan.status().code()));
  if (!plan.ok()) return hash.state();
  hash.Add(static_cast<uint64_t>(plan->status));
  hash.Add(plan->total_size);
  hash.Add(plan->lower_bound);
  // The list of the other kind of plan is empty.
  const auto offsets =
      plan->offsets() != nullptr ? *plan->offsets() : OffsetsAssignment();
  const auto objects = plan->objects() != nullptr ? *plan->objects()
                                                  : ObjectsAssignment<size_t>();
  hash.Add(offsets.offsets);
  hash.Add(objects.object_ids);
  hash.Add(objects.object_sizes);
  hash.Add(plan->nodes);
  return hash.state();
}

absl::StatusOr<std::vector<ProblemFile>> Traces(const std::string& folder) {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<ProblemFile> traces;
  for (const std::string& path : paths) {
    absl::StatusOr<ProblemFile> trace = stowage::ReadProblemFile(path);
    if (!trace.ok()) return trace.status();
    traces.push_back(*std::move(trace));
  }
  if (traces.empty()) return absl::NotFoundError(folder + ": no traces");
  // The shipped traces need no search; this one does.
  ProblemFile hard;
  hard.problem.records = stowage::support::HardRecords(8, 400);
  traces.push_back(std::move(hard));
  return traces;
}

uint64_t HashOfPlans(const std::vector<ProblemFile>& traces,
                     PlanRequest options, size_t threads) {
  options.search.node_budget = kNodes;
  options.search.threads = threads;
  Hash hash;
  for (const ProblemFile& trace : traces) {
    options.alignments = AlignmentsOf(trace.problem);
    hash.Add(HashOf(stowage::support::Plan(trace.problem.records, options)));
  }
  return hash.state();
}

absl::Status PrintHashes(const std::vector<ProblemFile>& traces) {
  for (const stowage::Strategy* strategy : stowage::AllStrategies()) {
    for (const PlanKind kind : {PlanKind::kOffsets, PlanKind::kObjects}) {
      PlanRequest options;
      options.strategy = strategy->info().name;
      options.kind = kind;
      const uint64_t hash = HashOfPlans(traces, options, 1);
      const std::string what = absl::StrFormat("%-17s %s", options.strategy,
                                               stowage::PlanKindName(kind));
      if (strategy->info().is_search &&
          HashOfPlans(traces, options, 4) != hash) {
        return absl::InternalError(
            absl::StrCat(what, ": other plans with 4 threads than with 1"));
      }
      absl::PrintF("%s %016x\n", what, hash);
    }
  }
  return absl::OkStatus();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: plan_hashes FOLDER_OF_TRACES\n", stderr);
    return 2;
  }
  const absl::StatusOr<std::vector<ProblemFile>> traces = Traces(argv[1]);
  const absl::Status status =
      traces.ok() ? PrintHashes(*traces) : traces.status();
  if (status.ok()) return 0;
  std::fprintf(stderr, "%s\n", std::string(status.message()).c_str());
  return 1;
}
