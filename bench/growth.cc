// SPDX-License-Identifier: Apache-2.0
// Measures how the time of every strategy, of the bounds and of the verifier
// grows from 100 to 1,000,000 records of generated networks. The counters are
// the time of one call relative to the reference work (reference_work.h), and
// the time per record in seconds.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "bench/networks.h"
#include "bench/reference_work.h"
#include "benchmark/benchmark.h"
#include "stowage/planner.h"
#include "stowage/profile.h"
#include "stowage/registry.h"
#include "stowage/verify.h"

namespace stowage::bench {
namespace {

using Records = std::vector<ByteRecord>;

// `Call` is the work to measure. `Prepare` creates this work for the given
// records.
using Call = std::function<absl::Status()>;
using Prepare = std::function<Call(const Records&)>;

void Run(benchmark::State& state, const Prepare& prepare) {
  const auto count = static_cast<size_t>(state.range(0));
  const Records records = NetworkRecords(count, /*seed=*/1);
  const Call call = prepare(records);
  const double reference_before = MeasureReference();
  // NOLINTNEXTLINE(clang-analyzer-deadcode.DeadStores): counts the runs
  for (auto _ : state) {
    if (const absl::Status status = call(); !status.ok()) {
      state.SkipWithError(status.ToString().c_str());
      return;
    }
  }
  const double reference_ms = (reference_before + MeasureReference()) / 2;
  const auto time_over =
      benchmark::Counter::kIsRate | benchmark::Counter::kInvert;
  const auto runs = static_cast<double>(state.iterations());
  state.counters["x_reference"] = {runs * reference_ms / 1000, time_over};
  state.counters["per_record"] = {runs * static_cast<double>(count), time_over};
}

void Register(const std::string& name, const Prepare& prepare) {
  benchmark::RegisterBenchmark(
      name.c_str(), [prepare](benchmark::State& state) { Run(state, prepare); })
      ->RangeMultiplier(10)
      ->Range(100, 1000000)
      ->Unit(benchmark::kMillisecond);
}

absl::Status SolveOnce(const Strategy& strategy, const Records& records,
                       PlanKind kind) {
  ProblemSpec spec;
  spec.kind = kind;
  spec.records = records;
  const absl::StatusOr<Problem> problem = Problem::Create(std::move(spec));
  if (!problem.ok()) return problem.status();
  return strategy.Solve(*problem, {}).status();
}

void RegisterStrategies() {
  for (const Strategy* strategy : AllStrategies()) {
    const StrategyInfo& info = strategy->info();
    if (info.features.Has(Feature::kObjects)) {
      Register(absl::StrCat(info.name, "/objects"),
               [strategy](const Records& records) -> Call {
                 return [strategy, &records] {
                   return SolveOnce(*strategy, records, PlanKind::kObjects);
                 };
               });
    }
    if (info.features.Has(Feature::kOffsets)) {
      Register(absl::StrCat(info.name, "/offsets"),
               [strategy](const Records& records) -> Call {
                 return [strategy, &records] {
                   return SolveOnce(*strategy, records, PlanKind::kOffsets);
                 };
               });
    }
  }
}

void RegisterTheRest() {
  Register("bound/offsets", [](const Records& records) -> Call {
    return [&records] {
      benchmark::DoNotOptimize(OffsetsLowerBound(records));
      return absl::OkStatus();
    };
  });
  Register("bound/objects", [](const Records& records) -> Call {
    return [&records] {
      benchmark::DoNotOptimize(ObjectsLowerBound(records));
      return absl::OkStatus();
    };
  });
  Register("verify/offsets", [](const Records& records) -> Call {
    OffsetsAssignment plan;
    const absl::Status status =
        AssignOffsetsToTensors(records, MemoryStrategy::GREEDY_BY_SIZE, &plan);
    return [&records, plan, status] {
      benchmark::DoNotOptimize(FindViolation(records, plan));
      return absl::Status(status);
    };
  });
  Register("verify/objects", [](const Records& records) -> Call {
    ObjectsAssignment<size_t> plan;
    const absl::Status status = AssignObjectsToTensors(
        records, MemoryStrategy::GREEDY_BY_BREADTH, &plan);
    return [&records, plan, status] {
      benchmark::DoNotOptimize(FindViolation(records, plan));
      return absl::Status(status);
    };
  });
}

}  // namespace
}  // namespace stowage::bench

int main(int argc, char** argv) {
  stowage::bench::RegisterStrategies();
  stowage::bench::RegisterTheRest();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
