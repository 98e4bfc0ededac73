// SPDX-License-Identifier: Apache-2.0
// Defines mutants of planners that replay the run against an allocator.
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "tests/testing/mutants.h"
#include "tests/testing/mutants_steps.h"

namespace stowage::testing {
namespace {

OffsetsMutant Allocator(std::string name, std::string bug,
                        void (*alter)(AllocatorSteps*)) {
  return Altered(std::move(name), std::move(bug), AllocatorSteps(), alter);
}

// Merges a block with the free block below it, even if bytes between the two
// blocks are in use.
void GiveBackWithAllBelow(std::vector<Block>* free, Block block) {
  auto at = free->begin();
  while (at != free->end() && at->begin < block.begin) ++at;
  if (at != free->begin()) {
    (at - 1)->end = block.end;
  } else {
    free->insert(at, block);
  }
}

}  // namespace

std::vector<OffsetsMutant> AllocatorMutants() {
  return {
      Allocator("freed_before_its_last_reader",
                "gives an input back before it takes memory for the output of "
                "the same task",
                [](AllocatorSteps* steps) {
                  steps->is_over = [](const Record& held, const Record& next) {
                    return held.last_task <= next.first_task;
                  };
                }),
      Allocator("order_of_records_assumed",
                "takes records for sorted by their first task",
                [](AllocatorSteps* steps) { steps->order = AsGiven; }),
      Allocator("freed_again_and_again",
                "keeps tensors that are over on its list, and gives their "
                "memory back again when others have it",
                [](AllocatorSteps* steps) { steps->forgets = false; }),
      Allocator("merged_across_tensors",
                "merges what is given back with the free block below, though a "
                "tensor lies between",
                [](AllocatorSteps* steps) {
                  steps->give_back = GiveBackWithAllBelow;
                }),
      Allocator("rest_a_byte_too_large",
                "keeps a byte of the block that it hands out as free",
                [](AllocatorSteps* steps) {
                  steps->rest = [](Block free, Block taken) {
                    std::vector<Block> rest;
                    if (taken.end < free.end) {
                      rest.push_back({taken.end - 1, free.end});
                    }
                    return rest;
                  };
                }),
      Allocator("rest_without_the_padding",
                "goes on after size bytes of a free block, though alignment "
                "has moved the tensor up in it",
                [](AllocatorSteps* steps) {
                  steps->rest = [](Block free, Block taken) {
                    const size_t size = taken.end - taken.begin;
                    return std::vector<Block>{{free.begin + size, free.end}};
                  };
                }),
  };
}

}  // namespace stowage::testing
