// SPDX-License-Identifier: Apache-2.0
// Prints two hashes for each strategy and kind of plan. The first hash covers
// the plans of the shipped traces and of one trace that no search solves. The
// second hash covers the plans of random problems with the constraints that the
// strategy supports. The hashes must not depend on the compiler, the
// optimization level, the number of threads, or the use of abseil. If plans
// were changed on purpose, accept the new ones with this command:
//
//   plan_hashes data/traces > tests/determinism/plan_hashes.txt
#include <algorithm>
#include <cinttypes>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/io/problem_file.h"
#include "stowage/registry.h"
#include "stowage/stowage.h"
#include "stowage/testing/random_problems.h"
#include "tests/support/hard_records.h"
#include "tests/support/plan_request.h"

namespace {

using stowage::ObjectsAssignment;
using stowage::OffsetsAssignment;
using stowage::PlanKind;
using stowage::ProblemFile;
using stowage::ProblemSpec;
using stowage::Solution;
using stowage::Status;
using stowage::StatusOr;
using stowage::Strategy;
using stowage::support::PlanRequest;

// The maximum number of nodes of a search. A time limit would make plans depend
// on the machine.
constexpr uint64_t kNodes = 20'000;

// The number of random problems, and the maximum number of nodes for each.
constexpr uint64_t kRandomProblems = 400;
constexpr uint64_t kRandomNodes = 500;

// Computes the 64-bit FNV-1a hash of a sequence of numbers.
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

// Returns the hash of an answer. If a strategy rejects a trace or gives up, the
// answer is the error code.
uint64_t HashOf(const StatusOr<Solution>& plan) {
  Hash hash;
  hash.Add(static_cast<uint64_t>(plan.status().code()));
  if (!plan.ok()) return hash.state();
  hash.Add(static_cast<uint64_t>(plan->status));
  hash.Add(plan->total_size);
  hash.Add(plan->lower_bound);
  // A plan has either offsets or objects. The lists of the other kind are
  // empty.
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

StatusOr<std::vector<ProblemFile>> Traces(const std::string& folder) {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<ProblemFile> traces;
  for (const std::string& path : paths) {
    StatusOr<ProblemFile> trace = stowage::ReadProblemFile(path);
    if (!trace.ok()) return trace.status();
    traces.push_back(*std::move(trace));
  }
  if (traces.empty()) return stowage::NotFoundError(folder + ": no traces");
  // The shipped traces need no search, so adds a trace that does.
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

// Returns a random problem with constraints of the kinds that the strategy
// supports. Problems of shared objects have no constraints.
ProblemSpec RandomProblemFor(const Strategy& strategy, PlanKind kind,
                             uint64_t seed) {
  const stowage::FeatureSet all = stowage::testing::kConstraintFeatures;
  stowage::testing::ProblemParameters parameters;
  parameters.features = all.Without(all.Without(strategy.info().features));
  parameters.has_never = seed % 4 == 0;
  parameters.has_prefer_apart = seed % 4 == 1;
  ProblemSpec spec =
      stowage::testing::RandomProblem(seed, 2 + seed % 12, parameters);
  if (kind == PlanKind::kOffsets) return spec;
  ProblemSpec objects;
  objects.kind = kind;
  objects.records = std::move(spec.records);
  return objects;
}

uint64_t HashOfRandomPlans(const Strategy& strategy, PlanKind kind) {
  stowage::SolveOptions options;
  options.node_budget = kRandomNodes;
  Hash hash;
  for (uint64_t seed = 0; seed < kRandomProblems; ++seed) {
    const StatusOr<stowage::Problem> problem =
        stowage::Problem::Create(RandomProblemFor(strategy, kind, seed));
    hash.Add(HashOf(problem.ok() ? stowage::Solve(*problem, strategy, options)
                                 : StatusOr<Solution>(problem.status())));
  }
  return hash.state();
}

Status PrintHashes(const std::vector<ProblemFile>& traces) {
  for (const Strategy* strategy : stowage::AllStrategies()) {
    for (const PlanKind kind : {PlanKind::kOffsets, PlanKind::kObjects}) {
      PlanRequest options;
      options.strategy = strategy->info().name;
      options.kind = kind;
      const uint64_t hash = HashOfPlans(traces, options, 1);
      std::string what = options.strategy;
      what.resize(std::max<size_t>(what.size(), 17), ' ');
      what += " " + std::string(stowage::PlanKindName(kind));
      if (strategy->info().is_search &&
          HashOfPlans(traces, options, 4) != hash) {
        return stowage::InternalError(
            what + ": other plans with 4 threads than with 1");
      }
      std::printf("%s %016" PRIx64 "\n", what.c_str(), hash);
      std::printf("%s random %016" PRIx64 "\n", what.c_str(),
                  HashOfRandomPlans(*strategy, kind));
    }
  }
  return stowage::OkStatus();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: plan_hashes FOLDER_OF_TRACES\n", stderr);
    return 2;
  }
  const StatusOr<std::vector<ProblemFile>> traces = Traces(argv[1]);
  const Status status = traces.ok() ? PrintHashes(*traces) : traces.status();
  if (status.ok()) return 0;
  std::fprintf(stderr, "%s\n", std::string(status.message()).c_str());
  return 1;
}
