// SPDX-License-Identifier: Apache-2.0
#include "tests/testing/mutants_steps.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "stowage/assignment.h"
#include "stowage/tensor_size.h"
#include "stowage/usage_record.h"

namespace stowage::testing {
namespace {

absl::Status Overflow(size_t record) {
  return absl::OutOfRangeError(
      absl::StrCat("record ", record, ": its offset passes 2^64 - 1"));
}

// Returns the best place for record `i` among the records that are already
// placed. Requires that `placed` is sorted by offset.
absl::optional<size_t> BestPlace(const BestFitSteps& steps, Records records,
                                 size_t i, size_t alignment,
                                 const std::vector<size_t>& offsets,
                                 const Order& placed) {
  absl::optional<size_t> best;
  size_t least_room = 0;
  size_t below = 0;
  size_t begin = 0;
  for (const size_t other : placed) {
    if (!steps.conflicts(records[i], records[other])) continue;
    const absl::optional<size_t> place = steps.align(begin, alignment);
    const Fit fit{below, begin, place.value_or(0), records[i].tensor_size,
                  offsets[other]};
    const size_t room = fit.end - begin;
    if (place && steps.fits(fit) && (!best || room < least_room)) {
      best = place;
      least_room = room;
    }
    const absl::optional<size_t> end =
        steps.end_of(offsets[other], records[other].tensor_size);
    if (!end) return absl::nullopt;
    below = offsets[other];
    begin = steps.next_gap(begin, *end);
  }
  return best ? best : steps.align(begin, alignment);
}

// Takes `size` bytes from the lowest free block with room for them. Returns the
// taken bytes, or nothing if no block has room.
absl::optional<Block> TakeLowest(const AllocatorSteps& steps, size_t size,
                                 size_t alignment, std::vector<Block>* free) {
  for (auto block = free->begin(); block != free->end(); ++block) {
    const absl::optional<size_t> begin =
        CheckedAlignUp(block->begin, alignment);
    const absl::optional<size_t> end =
        begin ? CheckedAdd(*begin, size) : absl::nullopt;
    if (!end || *end > block->end) continue;
    const Block taken{*begin, *end};
    const std::vector<Block> rest = steps.rest(*block, taken);
    const auto after = free->erase(block);
    free->insert(after, rest.begin(), rest.end());
    return taken;
  }
  return absl::nullopt;
}

void GiveBackSoundly(std::vector<Block>* free, Block block) {
  const auto after =
      std::find_if(free->begin(), free->end(),
                   [&](const Block& b) { return b.begin >= block.end; });
  const auto at = free->insert(after, block);
  const auto above = at + 1;
  if (above != free->end() && above->begin == at->end) {
    at->end = above->end;
    free->erase(above);
  }
  if (at != free->begin() && (at - 1)->end == at->begin) {
    (at - 1)->end = at->end;
    free->erase(at);
  }
}

std::vector<Block> RestSoundly(Block free, Block taken) {
  std::vector<Block> rest;
  if (free.begin < taken.begin) rest.push_back({free.begin, taken.begin});
  if (taken.end < free.end) rest.push_back({taken.end, free.end});
  return rest;
}

}  // namespace

Order BySize(Records records) {
  Order order = AsGiven(records);
  absl::c_stable_sort(order, [&](size_t a, size_t b) {
    return records[a].tensor_size > records[b].tensor_size;
  });
  return order;
}

Order ByFirstTask(Records records) {
  Order order = AsGiven(records);
  absl::c_stable_sort(order, [&](size_t a, size_t b) {
    return BeginsBefore()(records[a], records[b]);
  });
  return order;
}

Order AsGiven(Records records) {
  Order order(records.size());
  std::iota(order.begin(), order.end(), size_t{0});
  return order;
}

absl::StatusOr<OffsetsAssignment> PlanBestFit(const BestFitSteps& steps,
                                              Records records,
                                              const Alignments& alignments) {
  const absl::Status status =
      steps.checks_sums ? CheckUsageRecords(records) : absl::OkStatus();
  if (!status.ok()) return status;
  OffsetsAssignment plan;
  plan.offsets.assign(records.size(), 0);
  Order placed;
  std::vector<size_t> ends;
  for (const size_t i : steps.order(records)) {
    const absl::optional<size_t> place =
        BestPlace(steps, records, i, alignments.Of(i), plan.offsets, placed);
    const absl::optional<size_t> end =
        place ? steps.end_of(*place, records[i].tensor_size) : absl::nullopt;
    if (!end) return Overflow(i);
    plan.offsets[i] = *place;
    ends.push_back(*end);
    const auto key = [&](size_t record) {
      return std::make_tuple(plan.offsets[record], record);
    };
    placed.insert(
        absl::c_upper_bound(
            placed, i, [&](size_t a, size_t b) { return key(a) < key(b); }),
        i);
  }
  plan.total_size = steps.total(plan, ends);
  return plan;
}

AllocatorSteps::AllocatorSteps()
    : give_back(GiveBackSoundly), rest(RestSoundly) {}

absl::StatusOr<OffsetsAssignment> PlanByAllocator(
    const AllocatorSteps& steps, Records records,
    const Alignments& alignments) {
  if (absl::Status s = CheckUsageRecords(records); !s.ok()) return s;
  OffsetsAssignment plan;
  plan.offsets.assign(records.size(), 0);
  std::vector<Block> free = {{0, static_cast<size_t>(-1)}};
  std::vector<std::pair<size_t, Block>> held;
  for (const size_t i : steps.order(records)) {
    const Record& record = records[i];
    if (record.tensor_size == 0) continue;
    for (const auto& [tenant, block] : held) {
      if (steps.is_over(records[tenant], record)) {
        steps.give_back(&free, block);
      }
    }
    if (steps.forgets) {
      held.erase(std::remove_if(held.begin(), held.end(),
                                [&](const auto& tenant) {
                                  return steps.is_over(records[tenant.first],
                                                       record);
                                }),
                 held.end());
    }
    const absl::optional<Block> taken =
        TakeLowest(steps, record.tensor_size, alignments.Of(i), &free);
    if (!taken) return Overflow(i);
    plan.offsets[i] = taken->begin;
    plan.total_size = std::max(plan.total_size, taken->end);
    held.emplace_back(i, *taken);
  }
  return plan;
}

ObjectsSteps::ObjectsSteps()
    : is_free([](Records records, const SharedObject& object,
                 const Record& record) {
        return absl::c_none_of(object.tenants, [&](size_t tenant) {
          return Conflict(records[tenant], record);
        });
      }) {}

absl::StatusOr<ObjectsAssignment<size_t>> PlanObjects(const ObjectsSteps& steps,
                                                      Records records) {
  if (absl::Status s = CheckUsageRecords(records); !s.ok()) return s;
  ObjectsAssignment<size_t> plan;
  plan.object_ids.assign(records.size(), 0);
  std::vector<SharedObject> objects;
  for (const size_t i : steps.order(records)) {
    const size_t size = records[i].tensor_size;
    size_t best = objects.size();
    // Objects that are large enough come before objects that are too small.
    // Within each of these two groups, objects of the nearest size come first.
    const auto misfit = [&](const SharedObject& object) {
      return object.size >= size ? std::make_pair(false, object.size - size)
                                 : std::make_pair(true, size - object.size);
    };
    for (size_t k = 0; k < objects.size(); ++k) {
      if (!steps.is_free(records, objects[k], records[i])) continue;
      if (!steps.grows && objects[k].size < size) continue;
      if (best == objects.size() ||
          misfit(objects[k]) < misfit(objects[best])) {
        best = k;
      }
    }
    if (best == objects.size()) {
      objects.push_back({steps.new_size(size), {}});
    } else {
      objects[best].size = steps.grown(objects[best].size, size);
    }
    objects[best].tenants.push_back(i);
    plan.object_ids[i] = best;
  }
  for (const SharedObject& object : objects) {
    plan.object_sizes.push_back(object.size);
  }
  return plan;
}

PlanFn PlannerOf(BestFitSteps steps) {
  return [steps = std::move(steps)](Records records,
                                    const Alignments& alignments) {
    return PlanBestFit(steps, records, alignments);
  };
}

PlanFn PlannerOf(AllocatorSteps steps) {
  return [steps = std::move(steps)](Records records,
                                    const Alignments& alignments) {
    return PlanByAllocator(steps, records, alignments);
  };
}

ObjectsPlanFn PlannerOf(ObjectsSteps steps) {
  return [steps = std::move(steps)](Records records) {
    return PlanObjects(steps, records);
  };
}

}  // namespace stowage::testing
