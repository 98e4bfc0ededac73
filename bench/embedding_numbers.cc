// SPDX-License-Identifier: Apache-2.0
#include "bench/embedding_numbers.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <new>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bench/networks.h"
#include "stowage/base/random.h"
#include "stowage/c/stowage.h"
#include "stowage/micro/plan.h"
#include "stowage/planner.h"
#include "stowage/problem.h"
#include "stowage/replan.h"

namespace {

std::atomic<size_t> allocations{0};

}  // namespace

// These replacements of the global operators count the allocations of this
// program.
void* operator new(size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  if (void* const bytes = std::malloc(size)) return bytes;
  std::abort();
}
void operator delete(void* bytes) noexcept { std::free(bytes); }
void operator delete(void* bytes, size_t) noexcept { std::free(bytes); }

namespace stowage::bench {
namespace {

using Clock = std::chrono::steady_clock;
using Work = std::function<uint64_t()>;

constexpr int kRuns = 200;

void PrintRow(const std::string& what, size_t records, double measured,
              const char* unit, const char* wanted) {
  std::printf("| %s | %zu | %.3f%s | %s |\n", what.c_str(), records, measured,
              unit, wanted);
  std::fflush(stdout);
}

double Microseconds(const Work& work, uint64_t* total) {
  const auto begin = Clock::now();
  *total = work();
  return std::chrono::duration<double, std::micro>(Clock::now() - begin)
      .count();
}

// Holds the shortest times of two ways to do the same work. Runs of the two
// ways alternate, so other load on the machine slows both equally.
struct Comparison {
  double measured = 1e9;  // microseconds
  double reference = 1e9;
  bool is_equal = false;  // whether both return the same number, which is not 0
};

Comparison Compare(const Work& measured, const Work& reference) {
  Comparison result;
  uint64_t total = 0;
  uint64_t expected = 0;
  for (int run = 0; run < kRuns; ++run) {
    result.measured = std::min(result.measured, Microseconds(measured, &total));
    result.reference =
        std::min(result.reference, Microseconds(reference, &expected));
  }
  result.is_equal = total == expected && total > 0;
  return result;
}

uint64_t PlanInCpp(const std::vector<ByteRecord>& records,
                   const char* strategy) {
  return Solve(ProblemOf(records), strategy)->total_size;
}

uint64_t PlanInOneCall(const std::vector<stowage_record>& records,
                       const char* strategy) {
  std::vector<uint64_t> offsets(records.size());
  uint64_t total = 0;
  stowage_assign_offsets(records.data(), records.size(), kAlignment, strategy,
                         offsets.data(), &total, nullptr);
  return total;
}

// Plans the records through the handles of the C interface. If `cancel` is not
// null, the search can be cancelled with it.
uint64_t PlanWithHandles(const std::vector<stowage_record>& records,
                         const char* strategy,
                         const stowage_cancel_token* cancel = nullptr) {
  stowage_builder* const builder = stowage_builder_new();
  stowage_problem* problem = nullptr;
  stowage_solution* solution = nullptr;
  stowage_options options = {};
  stowage_plan plan = {};
  options.struct_size = sizeof(options);
  plan.struct_size = sizeof(plan);
  stowage_options_init(&options, nullptr);
  options.strategy = strategy;
  options.cancel = cancel;
  stowage_builder_records(builder, records.data(), records.size(), nullptr);
  stowage_builder_alignment(builder, kAlignment, nullptr);
  stowage_problem_create(builder, &problem, nullptr);
  stowage_solve(problem, &options, &solution, nullptr);
  stowage_solution_plan(solution, &plan, nullptr);
  stowage_solution_free(solution);
  stowage_problem_free(problem);
  stowage_builder_free(builder);
  return plan.total_size;
}

uint64_t PlanInPlace(const std::vector<stowage_record>& records) {
  std::vector<stowage_placed_record> placed;
  placed.reserve(records.size());
  for (const stowage_record& record : records) {
    placed.push_back(
        {record.size, record.first_task, record.last_task, STOWAGE_NONE});
  }
  std::vector<uint64_t> workspace(records.size());
  uint64_t total = 0;
  stowage_plan_in_place(
      placed.data(), placed.size(), kAlignment, workspace.data(),
      STOWAGE_WORKSPACE_BYTES(placed.size()), &total, nullptr);
  return total;
}

uint64_t PlanOnADevice(const std::vector<stowage_record>& records) {
  std::vector<stowage_micro_buffer> buffers;
  buffers.reserve(records.size());
  for (const stowage_record& record : records) {
    buffers.push_back({static_cast<uint32_t>(record.size),
                       static_cast<uint32_t>(record.first_task),
                       static_cast<uint32_t>(record.last_task),
                       STOWAGE_MICRO_UNPLACED});
  }
  const auto count = static_cast<uint32_t>(buffers.size());
  std::vector<uint32_t> workspace(count);
  uint32_t total = 0;
  stowage_micro_plan(buffers.data(), count, kAlignment, workspace.data(),
                     STOWAGE_MICRO_WORKSPACE_BYTES(count), &total);
  return total;
}

std::vector<stowage_record> InC(const std::vector<ByteRecord>& records) {
  std::vector<stowage_record> in_c;
  in_c.reserve(records.size());
  for (const ByteRecord& record : records) {
    in_c.push_back({record.tensor_size, record.first_task, record.last_task});
  }
  return in_c;
}

// Compares planning in C with planning in C++. Returns whether the plans are
// equal.
bool PrintCalls(size_t count, const char* strategy) {
  const std::vector<ByteRecord> records = NetworkRecords(count, 1);
  const std::vector<stowage_record> in_c = InC(records);
  const Work in_cpp = [&] { return PlanInCpp(records, strategy); };
  const struct {
    const char* name;
    Work work;
  } kWays[] = {
      {"one call", [&] { return PlanInOneCall(in_c, strategy); }},
      {"handles", [&] { return PlanWithHandles(in_c, strategy); }},
  };
  bool is_equal = true;
  for (const auto& way : kWays) {
    const Comparison c = Compare(way.work, in_cpp);
    const std::string what = std::string(way.name) + ", `" + strategy + "`";
    PrintRow(what + ", over C++", count, c.measured / c.reference, "", "1.02");
    PrintRow(what + ", more than C++", count, c.measured - c.reference, " us",
             "5 us");
    if (count == 100) PrintRow(what, count, c.measured, " us", "20 us");
    is_equal &= c.is_equal;
  }
  return is_equal;
}

// Compares planning in place with the planner for devices, which computes with
// 32-bit numbers. Neither planner verifies its plan. Returns whether the plans
// are equal.
bool PrintInPlace() {
  const std::vector<stowage_record> records = InC(NetworkRecords(100, 1));
  const Comparison c = Compare([&] { return PlanInPlace(records); },
                               [&] { return PlanOnADevice(records); });
  PrintRow("in place", records.size(), c.measured, " us", "8 us");
  PrintRow("in place, over 32 bits", records.size(), c.measured / c.reference,
           "", "1");
  size_t before = allocations;
  PlanWithHandles(records, "greedy_by_size");
  PrintRow("allocations with handles", records.size(),
           static_cast<double>(allocations - before), "", "162");
  std::vector<stowage_placed_record> placed(records.size());
  std::vector<uint64_t> workspace(records.size());
  uint64_t total = 0;
  before = allocations;
  stowage_plan_in_place(placed.data(), placed.size(), 1, workspace.data(),
                        STOWAGE_WORKSPACE_BYTES(placed.size()), &total,
                        nullptr);
  PrintRow("allocations in place", records.size(),
           static_cast<double>(allocations - before), "", "0");
  return c.is_equal;
}

// Measures Replan after one record has grown by 512 bytes.
void PrintReplan() {
  std::vector<ByteRecord> records = NetworkRecords(10000, 1);
  const Problem first = ProblemOf(records);
  const auto plan = *VerifiedPlan::Create(first, *Solve(first, "skyline"));
  records[records.size() / 2].tensor_size += 8 * kAlignment;
  const Problem changed = ProblemOf(records);
  uint64_t total = 0;
  double least = 1e9;
  for (int run = 0; run < kRuns; ++run) {
    least = std::min(
        least,
        Microseconds(
            [&] { return Replan(changed, plan)->plan.solution().total_size; },
            &total));
  }
  PrintRow("`Replan`, one record changed", records.size(), least / 1000, " ms",
           "0.1 ms");
  const auto fresh = static_cast<double>(Solve(changed, "skyline")->total_size);
  PrintRow("its total, over a fresh plan", records.size(),
           static_cast<double>(total) / fresh, "", "1.02");
}

// Measures how long a search continues after it has been cancelled. The search
// tries to find the smallest plan of random records.
void PrintCancel() {
  std::vector<stowage_record> records;
  Random random(1);
  for (int i = 0; i < 300; ++i) {
    const size_t first = random.Below(100);
    records.push_back({kAlignment * (1 + random.Below(5000)), first,
                       first + random.Below(40)});
  }
  double most = 0;
  for (int moment = 1; moment <= 10; ++moment) {
    stowage_cancel_token* const token = stowage_cancel_token_new();
    Clock::time_point cancelled;
    std::thread other([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20 * moment));
      cancelled = Clock::now();
      stowage_cancel(token);
    });
    PlanWithHandles(records, "optimal", token);
    const auto end = Clock::now();
    other.join();
    stowage_cancel_token_free(token);
    most = std::max(
        most,
        std::chrono::duration<double, std::milli>(end - cancelled).count());
  }
  PrintRow("longest time from `stowage_cancel` to the end", records.size(),
           most, " ms", "50 ms");
}

}  // namespace

Problem ProblemOf(const std::vector<ByteRecord>& records) {
  ProblemSpec spec;
  spec.records = records;
  spec.alignment = kAlignment;
  return *Problem::Create(std::move(spec));
}

bool PrintEmbeddingNumbers() {
  std::printf("| what | records | measured | at most |\n|:--|--:|--:|--:|\n");
  bool is_equal = true;
  for (const size_t count : {size_t{100}, size_t{1000}}) {
    for (const char* strategy : {"greedy_by_size", "skyline"}) {
      is_equal &= PrintCalls(count, strategy);
    }
  }
  is_equal &= PrintInPlace();
  PrintReplan();
  PrintCancel();
  if (!is_equal) std::printf("the plans differ\n");
  return is_equal;
}

}  // namespace stowage::bench
