// SPDX-License-Identifier: Apache-2.0
// Measures the planner for devices on this machine, in microseconds. The
// records have 16 to 8,192 bytes and live 2 to 5 tasks; there are as many tasks
// as records, or a tenth as many. tests/micro/device/plan.c counts instructions
// on a device.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <random>
#include <vector>

#include "stowage/micro/plan.h"

namespace {

using Buffers = std::vector<stowage_micro_buffer>;

Buffers RandomBuffers(uint32_t count, uint32_t tasks) {
  std::mt19937 random(20);
  const auto below = [&](uint32_t end) {
    return static_cast<uint32_t>(random() % end);
  };
  Buffers buffers(count);
  for (stowage_micro_buffer& buffer : buffers) {
    const uint32_t first = below(tasks);
    buffer = {16 + below(8177), first, first + 1 + below(4),
              STOWAGE_MICRO_UNPLACED};
  }
  return buffers;
}

// Returns the shortest time of several runs.
double Microseconds(decltype(stowage_micro_plan)* plan,
                    const Buffers& buffers) {
  const auto count = static_cast<uint32_t>(buffers.size());
  std::vector<uint32_t> workspace(count);
  double least = 1e9;
  for (int run = 0; run < 5; ++run) {
    Buffers planned = buffers;
    uint32_t total = 0;
    const auto begin = std::chrono::steady_clock::now();
    if (plan(planned.data(), count, 16, workspace.data(),
             STOWAGE_MICRO_WORKSPACE_BYTES(count),
             &total) != STOWAGE_MICRO_OK) {
      return -1;
    }
    const std::chrono::duration<double, std::micro> taken =
        std::chrono::steady_clock::now() - begin;
    least = std::min(least, taken.count());
  }
  return least;
}

}  // namespace

int main() {
  std::printf("| buffers | tasks | plan, us | best plan, us |\n");
  std::printf("|--------:|------:|---------:|--------------:|\n");
  for (const uint32_t count : {10u, 30u, 100u, 300u, 1000u, 3000u, 10000u}) {
    for (const uint32_t tasks : {count, std::max(count / 10, 1u)}) {
      const Buffers buffers = RandomBuffers(count, tasks);
      std::printf("| %7u | %5u | %8.1f | %13.1f |\n", count, tasks,
                  Microseconds(stowage_micro_plan, buffers),
                  Microseconds(stowage_micro_plan_best, buffers));
    }
  }
  return 0;
}
