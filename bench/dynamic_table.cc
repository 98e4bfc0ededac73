// SPDX-License-Identifier: Apache-2.0
// Compares, in a Markdown table, ways to plan tensors with sizes that depend on
// parameters. The argument is a folder of problems with parameters, such as
// data/dynamic.
//
//   stowage_dynamic_table FOLDER
//
// In this table, a value is one choice of all parameters, and the need at a
// value is the total of the smallest known plan for that value. Columns with "/
// need" show the largest ratio to the need over all values that are compared.
// The time to evaluate an order is divided by the time in which skyline plans
// the same value from scratch in the same run. The time to plan is processor
// time.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <numeric>
#include <string>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "stowage/base/span.h"
#include "stowage/dynamic/dynamic_file.h"
#include "stowage/dynamic/dynamic_problem.h"
#include "stowage/dynamic/plan_dynamic.h"
#include "stowage/dynamic/stack_table.h"
#include "stowage/io/read_file.h"
#include "stowage/planner.h"
#include "stowage/problem.h"
#include "stowage/solution.h"

namespace stowage::bench {
namespace {

namespace fs = std::filesystem;

constexpr double kMebibyte = 1 << 20;

struct Row {
  std::string name;
  size_t records = 0;
  size_t edges = 0;
  size_t table_bytes = 0;  // 0 if the plan has no table (stack_table.h)
  size_t least_need = 0;
  size_t largest_need = 0;
  double fixed = 0;
  double union_order = 0;
  double best_order = 0;
  double reserve = 0;
  std::vector<double> buckets;
  double plan_ms = 0;
  double evaluate_ns = 0;
  double anew_ns = 0;
};

double Quotient(size_t a, size_t b) {
  return b == 0 ? 1 : static_cast<double>(a) / static_cast<double>(b);
}

// Returns the time of one call in nanoseconds. It is the shortest of many short
// runs, because other programs disturb only a few of them.
template <typename Call>
double NanosecondsOf(size_t calls, const Call& call) {
  double best = 0;
  for (int run = 0; run < 100; ++run) {
    const auto start = std::chrono::steady_clock::now();
    for (size_t k = 0; k < calls; ++k) call();
    const std::chrono::duration<double, std::nano> time =
        std::chrono::steady_clock::now() - start;
    const double each = time.count() / static_cast<double>(calls);
    if (run == 0 || each < best) best = each;
  }
  return best;
}

absl::StatusOr<Solution> PlanBySkyline(const DynamicProblem& problem,
                                       Span<const size_t> sizes) {
  const absl::StatusOr<Problem> created =
      Problem::Create(problem.SpecWithSizes(sizes));
  if (!created.ok()) return created.status();
  return Solve(*created, "skyline");
}

std::vector<size_t> OrderByOffset(const std::vector<size_t>& offsets,
                                  Span<const size_t> sizes) {
  std::vector<size_t> order(offsets.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return std::tuple(offsets[a], sizes[a], a) <
           std::tuple(offsets[b], sizes[b], b);
  });
  return order;
}

// Makes one plan for the largest sizes and uses it in two ways at every value:
// with its fixed offsets, and with the offsets that result from its order.
absl::Status MeasureUnion(const DynamicProblem& problem,
                          const DynamicPlan& plan, Row* row) {
  const Span<const size_t> largest = problem.largest_sizes();
  const absl::StatusOr<Solution> solution = PlanBySkyline(problem, largest);
  if (!solution.ok()) return solution.status();
  for (const HeightAt& height : plan.heights) {
    row->fixed =
        std::max(row->fixed, Quotient(solution->total_size, height.need));
  }
  const absl::StatusOr<DynamicPlan> order = EvaluateOrder(
      problem, OrderByOffset(solution->offsets()->offsets, largest));
  if (!order.ok()) return order.status();
  row->union_order = Quotient(order->worst.height, order->worst.need);
  return absl::OkStatus();
}

absl::Status MeasureBuckets(const DynamicProblem& problem, Row* row) {
  if (problem.has_scenarios() || problem.spec().parameters.size() > 1) {
    return absl::OkStatus();
  }
  for (const size_t count : {size_t{2}, size_t{4}, size_t{8}}) {
    const absl::StatusOr<std::vector<SizeBucket>> buckets =
        PlanBuckets(problem, count);
    if (!buckets.ok()) return buckets.status();
    double worst = 1;
    for (const SizeBucket& bucket : *buckets) {
      worst = std::max(worst, Quotient(bucket.reserve, bucket.worst.need));
    }
    row->buckets.push_back(worst);
  }
  return absl::OkStatus();
}

// Measures the times at one value, the middle one of all compared values.
absl::Status MeasureTimes(const DynamicProblem& problem,
                          const DynamicPlan& plan, Row* row) {
  const HeightAt& middle = plan.heights[plan.heights.size() / 2];
  const absl::StatusOr<std::vector<size_t>> sizes =
      problem.SizesAt(middle.values);
  if (!sizes.ok()) return sizes.status();
  std::vector<size_t> offsets(sizes->size());
  size_t height = 0;
  row->evaluate_ns = NanosecondsOf(
      50, [&] { height ^= *plan.stack.Offsets(*sizes, MakeSpan(offsets)); });
  const absl::StatusOr<Problem> created =
      Problem::Create(problem.SpecWithSizes(*sizes));
  if (!created.ok()) return created.status();
  row->anew_ns = NanosecondsOf(
      2, [&] { height ^= Solve(*created, "skyline")->total_size; });
  // Uses the result, so that the compiler cannot remove the calls.
  if (height == 1) std::printf("\n");
  return absl::OkStatus();
}

absl::StatusOr<Row> Measure(const fs::path& path) {
  const absl::StatusOr<std::string> json = ReadFile(path.string());
  if (!json.ok()) return json.status();
  DynamicFile file;
  const absl::StatusOr<DynamicProblem> problem =
      ReadDynamicProblem(*json, path.string(), &file);
  if (!problem.ok()) return problem.status();
  const std::clock_t start = std::clock();
  const absl::StatusOr<DynamicPlan> plan = PlanForAllValues(*problem);
  const std::clock_t end = std::clock();
  if (!plan.ok()) return plan.status();
  Row row;
  row.name = path.stem().string();
  row.records = problem->size();
  row.edges = plan->stack.edges();
  if (const auto table = EncodeStack(plan->stack); table.ok()) {
    row.table_bytes = table->size();
  }
  row.plan_ms = 1000 * static_cast<double>(end - start) / CLOCKS_PER_SEC;
  row.best_order = Quotient(plan->worst.height, plan->worst.need);
  row.least_need = plan->heights.front().need;
  for (const HeightAt& height : plan->heights) {
    row.least_need = std::min(row.least_need, height.need);
    row.largest_need = std::max(row.largest_need, height.need);
  }
  row.reserve = Quotient(plan->reserve, row.largest_need);
  absl::Status status = MeasureUnion(*problem, *plan, &row);
  status.Update(MeasureBuckets(*problem, &row));
  status.Update(MeasureTimes(*problem, *plan, &row));
  if (!status.ok()) return status;
  return row;
}

void PrintRow(const Row& row) {
  std::string buckets;
  for (const double ratio : row.buckets) {
    absl::StrAppend(&buckets, buckets.empty() ? "" : ", ",
                    absl::StrFormat("%.2f", ratio));
  }
  absl::PrintF(
      "| %s | %d | %d | %.3g to %.4g | %.4g | %.3f | %.3f | %.3f | %s | %d | "
      "%.0f | %.0f | %.0f |\n",
      row.name, row.records, row.edges,
      static_cast<double>(row.least_need) / kMebibyte,
      static_cast<double>(row.largest_need) / kMebibyte, row.fixed,
      row.union_order, row.best_order, row.reserve, buckets, row.table_bytes,
      row.plan_ms, row.evaluate_ns, row.anew_ns / row.evaluate_ns);
  (void)std::fflush(stdout);
}

int Main(const std::string& folder) {
  std::vector<fs::path> paths;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    if (it->path().extension() == ".json") paths.push_back(it->path());
  }
  std::sort(paths.begin(), paths.end());
  if (paths.empty()) {
    absl::FPrintF(stderr,
                  "stowage_dynamic_table: '%s': no problems; expected .json\n",
                  folder);
    return 1;
  }
  absl::PrintF(
      "| problem | records | edges | need, MiB | fixed offsets / need | order "
      "of the largest sizes / need | best order / need | reserve / largest "
      "need "
      "| buckets / need: 2, 4, 8 | table, bytes | plan, ms | evaluate, ns | "
      "plan anew / evaluate |\n"
      "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n");
  int failures = 0;
  for (const fs::path& path : paths) {
    const absl::StatusOr<Row> row = Measure(path);
    if (row.ok()) {
      PrintRow(*row);
      continue;
    }
    absl::FPrintF(stderr, "stowage_dynamic_table: %s: %s\n", path.string(),
                  row.status().message());
    ++failures;
  }
  return failures == 0 ? 0 : 1;
}

}  // namespace
}  // namespace stowage::bench

int main(int argc, char** argv) {
  if (argc != 2) {
    (void)std::fputs("usage: stowage_dynamic_table FOLDER\n", stderr);
    return 2;
  }
  return stowage::bench::Main(argv[1]);
}
