// SPDX-License-Identifier: Apache-2.0
// Prints two tables of times on this machine: the time of the planner for
// devices, in microseconds, and the time of stacks (stowage/micro/stack.h), in
// nanoseconds. The records for the planner have 16 to 8,192 bytes and are live
// for 2 to 5 tasks. The number of tasks is either that of the records or a
// tenth of it. To count instructions on a device, use tests/micro/device.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <random>
#include <vector>

#include "stowage/dynamic/stack_plan.h"
#include "stowage/dynamic/stack_table.h"
#include "stowage/micro/plan.h"
#include "stowage/micro/stack.h"
#include "stowage/usage_record.h"

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

// Holds a stack of the records of a chain with residual connections, in random
// order. Of every eight records, seven are live for two tasks and one for nine.
struct StackOfChain {
  size_t records = 0;
  size_t edges = 0;
  std::vector<uint8_t> table;
  std::vector<size_t> sizes;  // from the bottom to the top
};

StackOfChain MakeStackOfChain(size_t count) {
  std::mt19937 random(38);
  std::vector<stowage::ByteRecord> records;
  std::vector<size_t> order;
  for (size_t i = 0; i < count; ++i) {
    const size_t length = i % 8 == 0 ? 8 : 1;
    records.emplace_back(16 + random() % 8177, i, i + length);
    order.push_back(i);
  }
  std::shuffle(order.begin(), order.end(), random);
  const auto plan = stowage::StackPlan::Create(stowage::MakeConstSpan(records),
                                               size_t{64}, order);
  StackOfChain stack = {count, plan->edges(), *stowage::EncodeStack(*plan), {}};
  for (const size_t record : order) {
    stack.sizes.push_back(records[record].tensor_size);
  }
  return stack;
}

// Returns the shortest time of several runs of 1,000 calls each.
template <typename Call>
double NanosecondsOf(const Call& call) {
  double least = 1e9;
  for (int run = 0; run < 40; ++run) {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < 1000; ++i) {
      if (call() != STOWAGE_MICRO_OK) return -1;
    }
    const std::chrono::duration<double, std::nano> taken =
        std::chrono::steady_clock::now() - begin;
    least = std::min(least, taken.count() / 1000);
  }
  return least;
}

// Compares the time to evaluate a stack with the time to plan its records from
// scratch.
void PrintStacks() {
  std::printf("\n| records | edges | table, bytes | check, ns | place, ns |");
  std::printf(" stacks in the time of a plan |\n");
  std::printf("|--------:|------:|-------------:|----------:|----------:|");
  std::printf("----------------------------:|\n");
  for (const size_t count :
       {size_t{30}, size_t{100}, size_t{300}, size_t{1000}, size_t{10000}}) {
    const StackOfChain made = MakeStackOfChain(count);
    stowage_micro_stack stack = {};
    std::vector<size_t> offsets(count);
    size_t total = 0;
    const double check = NanosecondsOf([&] {
      return stowage_micro_stack_check(made.table.data(), made.table.size(),
                                       &stack);
    });
    const double place = NanosecondsOf([&] {
      return stowage_micro_stack_place(&stack, made.sizes.data(),
                                       offsets.data(), &total);
    });
    const auto buffers = static_cast<uint32_t>(count);
    const double plan = 1000 * Microseconds(stowage_micro_plan,
                                            RandomBuffers(buffers, buffers));
    std::printf("| %7zu | %5zu | %12zu | %9.0f | %9.0f | %27.0f |\n", count,
                made.edges, made.table.size(), check, place, plan / place);
  }
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
  PrintStacks();
  return 0;
}
