// SPDX-License-Identifier: Apache-2.0
// Defines mutants with bugs in their results: totals are wrong, offsets are in
// the wrong order, sizes of zero are mishandled, tables are too small, state
// remains from earlier calls, or the planner changes its records.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "stowage/assignment.h"
#include "stowage/planner.h"
#include "stowage/profile.h"
#include "stowage/tensor_size.h"
#include "stowage/testing/plan_fn.h"
#include "tests/support/plan_request.h"
#include "tests/support/wrapped_planner.h"
#include "tests/testing/mutants.h"
#include "tests/testing/mutants_steps.h"

namespace stowage::testing {
namespace {

using support::PlanRequest;

// Returns a mutant of best fit whose plans are changed by `spoil`.
OffsetsMutant Spoilt(std::string name, std::string bug,
                     void (*spoil)(Records, OffsetsAssignment*)) {
  return Wrapped(
      std::move(name), std::move(bug), BestFitSteps(),
      [spoil](const PlanFn& sound) { return support::Spoilt(sound, spoil); });
}

std::vector<OffsetsMutant> MutantsOfTotals() {
  return {
      Spoilt("total_is_the_largest_offset",
             "gives the largest offset for the total, without the size",
             [](Records, OffsetsAssignment* plan) {
               plan->total_size = plan->offsets.empty()
                                      ? 0
                                      : *absl::c_max_element(plan->offsets);
             }),
      Spoilt("total_is_the_end_of_the_last",
             "gives the end of the last record for the total",
             [](Records records, OffsetsAssignment* plan) {
               if (records.empty()) return;
               plan->total_size =
                   plan->offsets.back() + records.back().tensor_size;
             }),
      Spoilt("total_is_the_lower_bound",
             "gives the lower bound for the total, and a plan above it",
             [](Records records, OffsetsAssignment* plan) {
               plan->total_size = OffsetsLowerBound(records);
             }),
  };
}

std::vector<OffsetsMutant> MutantsOfPlaces() {
  return {
      Spoilt("no_bytes_at_minus_1",
             "leaves tensors of no bytes at the offset that means \"none\"",
             [](Records records, OffsetsAssignment* plan) {
               for (size_t i = 0; i < records.size(); ++i) {
                 if (records[i].tensor_size == 0) plan->offsets[i] = SIZE_MAX;
               }
             }),
      Spoilt("no_bytes_not_aligned",
             "puts tensors of no bytes at the end, aligned or not",
             [](Records records, OffsetsAssignment* plan) {
               for (size_t i = 0; i < records.size(); ++i) {
                 if (records[i].tensor_size == 0) {
                   plan->offsets[i] = plan->total_size;
                 }
               }
             }),
      Spoilt("no_bytes_left_out",
             "has no answer for tensors of no bytes, so that those after them "
             "get the wrong one",
             [](Records records, OffsetsAssignment* plan) {
               std::vector<size_t> kept;
               for (size_t i = 0; i < records.size(); ++i) {
                 if (records[i].tensor_size > 0) {
                   kept.push_back(plan->offsets[i]);
                 }
               }
               plan->offsets = std::move(kept);
             }),
      Spoilt("last_record_forgotten",
             "ends its loop one record early: the last stays at offset 0",
             [](Records, OffsetsAssignment* plan) {
               if (!plan->offsets.empty()) plan->offsets.back() = 0;
             }),
      Spoilt("answer_too_short", "has one answer too few",
             [](Records, OffsetsAssignment* plan) {
               if (!plan->offsets.empty()) plan->offsets.pop_back();
             }),
      Spoilt("order_of_placing",
             "answers in the order in which it has placed the records",
             [](Records records, OffsetsAssignment* plan) {
               const Order order = BySize(records);
               std::vector<size_t> moved;
               for (const size_t i : order) moved.push_back(plan->offsets[i]);
               plan->offsets = std::move(moved);
             }),
  };
}

// Returns a planner that plans records in parts of 64, and ignores conflicts
// between different parts.
PlanFn PlannedInParts(const PlanFn& sound) {
  return [sound](Records records, const Alignments& alignments)
             -> absl::StatusOr<OffsetsAssignment> {
    constexpr size_t kPart = 64;
    OffsetsAssignment all;
    for (size_t begin = 0; begin < records.size(); begin += kPart) {
      const Records part = records.subspan(begin, kPart);
      std::vector<size_t> theirs;
      for (size_t i = 0; i < part.size(); ++i) {
        theirs.push_back(alignments.Of(begin + i));
      }
      const auto plan = sound(part, Alignments(theirs));
      if (!plan.ok()) return plan.status();
      all.offsets.insert(all.offsets.end(), plan->offsets.begin(),
                         plan->offsets.end());
      all.total_size = std::max(all.total_size, plan->total_size);
    }
    return all;
  };
}

// Returns a planner that puts record i at the offset of record i % 256.
PlanFn PlacesInTurn(const PlanFn& sound) {
  return support::Spoilt(sound, [](Records, OffsetsAssignment* plan) {
    for (size_t i = 256; i < plan->offsets.size(); ++i) {
      plan->offsets[i] = plan->offsets[i % 256];
    }
  });
}

// Returns a mutant of GREEDY_BY_SIZE, which is fast on large traces.
OffsetsMutant OfTables(std::string name, std::string bug,
                       PlanFn (*spoil)(const PlanFn& sound)) {
  PlanRequest options;
  options.strategy = "greedy_by_size";
  return {
      std::move(name), std::move(bug),
      [spoil, options] {
        return spoil(StrategyPlanFn(options.strategy, options.search));
      },
      [options] { return StrategyPlanFn(options.strategy, options.search); }};
}

std::vector<OffsetsMutant> MutantsOfTables() {
  return {
      OfTables("conflicts_in_64_bits",
               "keeps conflicts in masks of 64 bits, and sees none between "
               "records 64 apart",
               PlannedInParts),
      OfTables("indices_in_8_bits",
               "keeps indices in 8 bits: record 256 gets the place of record 0",
               PlacesInTurn),
  };
}

// Returns a mutant of best fit that changes the records passed to it. A C
// library is able to do this but must not.
OffsetsMutant Careless(std::string name, std::string bug,
                       void (*change)(Record* begin, Record* end)) {
  return Wrapped(std::move(name), std::move(bug), BestFitSteps(),
                 [change](const PlanFn& sound) -> PlanFn {
                   return [sound, change](Records records,
                                          const Alignments& alignments) {
                     auto* const begin = const_cast<Record*>(records.data());
                     change(begin, begin + records.size());
                     return sound(records, alignments);
                   };
                 });
}

std::vector<OffsetsMutant> MutantsOfInputs() {
  return {
      Careless("input_sorted",
               "sorts the records that it is given, and answers in that order",
               [](Record* begin, Record* end) {
                 std::stable_sort(begin, end,
                                  [](const Record& a, const Record& b) {
                                    return a.tensor_size > b.tensor_size;
                                  });
               }),
      Careless("input_used_up",
               "counts the sizes that it is given down to 0, before it is done",
               [](Record* begin, Record* end) {
                 std::for_each(begin, end,
                               [](Record& record) { record.tensor_size = 0; });
               }),
  };
}

// Returns a mutant of best fit that keeps returning its previous plan as long
// as the key of the records is the same.
OffsetsMutant Stale(std::string name, std::string bug,
                    std::vector<size_t> (*key)(Records)) {
  return Wrapped(std::move(name), std::move(bug), BestFitSteps(),
                 [key](const PlanFn& sound) { return StaleBy(key, sound); });
}

// Returns a planner that, in every second call, reverses the order of records
// of equal size, as if it used an unstable sort or compared pointers.
PlanFn TiesAsTheyCome(const PlanFn&) {
  return [calls = std::make_shared<size_t>(0)](Records records,
                                               const Alignments& alignments) {
    BestFitSteps steps;
    if (++*calls % 2 == 0) {
      steps.order = [](Records all) {
        Order order = BySize(all);
        std::reverse(order.begin(), order.end());
        absl::c_stable_sort(order, [&](size_t a, size_t b) {
          return all[a].tensor_size > all[b].tensor_size;
        });
        return order;
      };
    }
    return PlanBestFit(steps, records, alignments);
  };
}

PlanFn HighWaterMark(const PlanFn& sound) {
  return support::Spoilt(
      sound, [max = size_t{0}](Records, OffsetsAssignment* plan) mutable {
        max = std::max(max, plan->total_size);
        plan->total_size = max;
      });
}

std::vector<OffsetsMutant> MutantsOfMemory() {
  return {
      Stale("stale_by_count",
            "keeps its plan as long as there are as many records", CountOf),
      Stale("stale_by_sizes",
            "keeps its plan as long as the sizes are the same",
            [](Records records) {
              std::vector<size_t> sizes;
              for (const Record& record : records) {
                sizes.push_back(record.tensor_size);
              }
              return sizes;
            }),
      Wrapped("ties_as_they_come",
              "has no order among equal sizes, so that plans change from run "
              "to run",
              BestFitSteps(), TiesAsTheyCome),
      Wrapped("high_water_mark_kept",
              "does not reset its total from one call to the next",
              BestFitSteps(), HighWaterMark),
  };
}

}  // namespace

std::vector<OffsetsMutant> AnswerMutants() {
  std::vector<OffsetsMutant> mutants;
  for (auto* part : {MutantsOfTotals, MutantsOfPlaces, MutantsOfTables,
                     MutantsOfInputs, MutantsOfMemory}) {
    for (OffsetsMutant& mutant : part()) mutants.push_back(std::move(mutant));
  }
  return mutants;
}

std::vector<OffsetsMutant> OffsetsMutants() {
  std::vector<OffsetsMutant> mutants;
  for (auto* part :
       {IntervalMutants, ByteMutants, AllocatorMutants, AnswerMutants}) {
    for (OffsetsMutant& mutant : part()) mutants.push_back(std::move(mutant));
  }
  return mutants;
}

}  // namespace stowage::testing
