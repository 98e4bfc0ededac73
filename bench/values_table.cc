// SPDX-License-Identifier: Apache-2.0
// Prints how long it takes to check plans by values, for a graph of 400
// operators and for programs with many branches and loops.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <utility>
#include <vector>

#include "stowage/base/optional.h"
#include "stowage/programs/points.h"
#include "stowage/verify_values.h"

namespace stowage {
namespace {

// Returns a chain of operators. Each operator usually reads the tensor that the
// operator before it writes. At every `period`-th point, a branch can skip the
// point. Every second one of these points also ends a loop: it can continue at
// the point before it. If `period` is 0, the chain has neither branches nor
// loops.
ProgramPoints ChainOf(uint32_t count, uint32_t period) {
  ProgramPoints points;
  points.slot_sizes.assign(count, 64);
  for (uint32_t i = 0; i < count; ++i) {
    Point point;
    point.writes = {i};
    const bool is_inside = period != 0 && i % period == period - 1;
    if (i > 0 && !is_inside) {
      // Do not read a tensor that a branch may have skipped.
      const bool is_skipped = period != 0 && (i - 1) % period == period - 1;
      point.reads = {is_skipped ? i - 2 : i - 1};
    }
    if (i + 1 < count) point.next.push_back(i + 1);
    if (is_inside && i + 1 < count) points.points[i - 1].next.push_back(i + 1);
    if (is_inside && i % (2 * period) > period) point.next.push_back(i - 1);
    points.points.push_back(std::move(point));
  }
  return points;
}

void PrintRow(const char* name, uint32_t count, uint32_t period) {
  const ProgramPoints points = ChainOf(count, period);
  std::vector<optional<size_t>> offsets;
  for (uint32_t i = 0; i < count; ++i) offsets.push_back(size_t{64} * (i % 8));
  double best = 0;
  bool is_safe = false;
  for (int run = 0; run < 5; ++run) {
    const auto begin = std::chrono::steady_clock::now();
    is_safe = !FindValueFault(points, offsets);
    const std::chrono::duration<double, std::milli> time =
        std::chrono::steady_clock::now() - begin;
    if (run == 0 || time.count() < best) best = time.count();
  }
  std::printf("| %-24s | %7u | %-6s | %8.3f ms |\n", name, count,
              is_safe ? "safe" : "unsafe", best);
}

}  // namespace
}  // namespace stowage

int main() {
  std::printf(
      "| points                   |  number | plan   | best of 5   |\n");
  std::printf(
      "|--------------------------|--------:|--------|------------:|\n");
  stowage::PrintRow("one after the other", 400, 0);
  stowage::PrintRow("one after the other", 100000, 0);
  stowage::PrintRow("branches and loops", 100000, 10);
  return 0;
}
