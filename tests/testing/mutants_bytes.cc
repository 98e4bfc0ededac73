// SPDX-License-Identifier: Apache-2.0
// Defines mutants with bugs in the arithmetic of bytes: in gaps, in alignments,
// and in integers that are too small.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "stowage/tensor_size.h"
#include "tests/testing/mutants.h"
#include "tests/testing/mutants_steps.h"

namespace stowage::testing {
namespace {

OffsetsMutant BestFit(std::string name, std::string bug,
                      void (*alter)(BestFitSteps*)) {
  return Altered(std::move(name), std::move(bug), BestFitSteps(), alter);
}

OffsetsMutant Around(std::string name, std::string bug,
                     PlanFn (*wrap)(PlanFn sound)) {
  return Wrapped(std::move(name), std::move(bug), BestFitSteps(), wrap);
}

PlanFn SizesRoundedUp(PlanFn sound) {
  return [sound](Records records, const Alignments& alignments) {
    std::vector<Record> rounded(records.begin(), records.end());
    for (size_t i = 0; i < rounded.size(); ++i) {
      rounded[i].tensor_size =
          CheckedAlignUp(rounded[i].tensor_size, alignments.Of(i))
              .value_or(rounded[i].tensor_size);
    }
    return sound(rounded, 1);
  };
}

// Returns a planner that mixes up alignments: the k-th record that it places
// gets the alignment of record k.
PlanFn AlignmentsByPosition(PlanFn sound) {
  return [sound](Records records, const Alignments& alignments) {
    const Order order = BySize(records);
    std::vector<size_t> moved(records.size());
    for (size_t k = 0; k < order.size(); ++k) {
      moved[order[k]] = alignments.Of(k);
    }
    return sound(records, Alignments(moved));
  };
}

std::vector<OffsetsMutant> MutantsOfAlignment() {
  return {
      Around("alignment_ignored", "does not look at alignments",
             [](PlanFn sound) -> PlanFn {
               return [sound](Records records, const Alignments&) {
                 return sound(records, 1);
               };
             }),
      Around("alignment_of_size",
             "rounds sizes up in place of offsets, which is the same only if "
             "all alignments are",
             SizesRoundedUp),
      Around("alignment_of_the_first", "aligns all as the first record",
             [](PlanFn sound) -> PlanFn {
               return [sound](Records records, const Alignments& alignments) {
                 return sound(records, records.empty() ? 1 : alignments.Of(0));
               };
             }),
      Around("alignment_of_another",
             "sorts records and leaves their alignments where they were",
             AlignmentsByPosition),
      BestFit("aligned_down", "rounds offsets down, onto what lies below",
              [](BestFitSteps* steps) {
                steps->align = [](size_t begin, size_t alignment) {
                  return absl::make_optional(begin & ~(alignment - 1));
                };
              }),
      BestFit("aligned_to_256_at_most",
              "knows no alignment above 256, and takes larger ones for that",
              [](BestFitSteps* steps) {
                steps->align = [](size_t begin, size_t alignment) {
                  return CheckedAlignUp(begin,
                                        std::min<size_t>(alignment, 256));
                };
              }),
      BestFit("aligned_after_the_fit",
              "looks whether a gap is large enough, and aligns afterwards",
              [](BestFitSteps* steps) {
                steps->fits = [](const Fit& fit) {
                  return fit.begin <= fit.end &&
                         fit.size <= fit.end - fit.begin;
                };
              }),
  };
}

std::vector<OffsetsMutant> MutantsOfIntegers() {
  return {
      BestFit("ends_in_32_bits", "keeps the ends of tensors in 32 bits",
              [](BestFitSteps* steps) {
                steps->end_of = [](size_t place, size_t size) {
                  return absl::make_optional<size_t>(
                      static_cast<uint32_t>(place + size));
                };
              }),
      BestFit("gaps_in_signed_32_bits",
              "compares sizes with gaps in 32 bits with a sign",
              [](BestFitSteps* steps) {
                steps->fits = [](const Fit& fit) {
                  return fit.place <= fit.end &&
                         static_cast<int32_t>(fit.size) <=
                             static_cast<int32_t>(fit.end - fit.place);
                };
              }),
      BestFit("ends_in_floating_point",
              "adds sizes in floating point, where large ones lose bytes",
              [](BestFitSteps* steps) {
                steps->end_of = [](size_t place, size_t size) {
                  const float sum =
                      static_cast<float>(place) + static_cast<float>(size);
                  // A sum of 2^64 or more would not fit in an integer.
                  return sum < 1.8e19F
                             ? absl::make_optional(static_cast<size_t>(sum))
                             : absl::nullopt;
                };
              }),
      BestFit("ends_in_double",
              "adds sizes in double, which rounds from 2^53 on",
              [](BestFitSteps* steps) {
                steps->end_of = [](size_t place, size_t size) {
                  const double sum =
                      static_cast<double>(place) + static_cast<double>(size);
                  // A sum of 2^64 or more would not fit in an integer.
                  return sum < 0x1p64
                             ? absl::make_optional(static_cast<size_t>(sum))
                             : absl::nullopt;
                };
              }),
      BestFit("sums_wrap_around",
              "does not notice that sizes and padding take an offset beyond "
              "2^64",
              [](BestFitSteps* steps) {
                steps->checks_sums = false;
                steps->align = [](size_t begin, size_t alignment) {
                  return absl::make_optional(AlignUp(begin, alignment));
                };
                steps->end_of = [](size_t place, size_t size) {
                  return absl::make_optional(place + size);
                };
              }),
  };
}

std::vector<OffsetsMutant> MutantsOfGaps() {
  return {
      BestFit("gap_a_byte_too_small", "takes a gap that is a byte too small",
              [](BestFitSteps* steps) {
                steps->fits = [](const Fit& fit) {
                  return fit.place <= fit.end &&
                         fit.size <= fit.end - fit.place + 1;
                };
              }),
      BestFit("gap_from_the_wrong_edge",
              "measures a gap from the first byte of the tensor below it",
              [](BestFitSteps* steps) {
                steps->fits = [](const Fit& fit) {
                  return fit.below <= fit.end &&
                         fit.size <= fit.end - fit.below;
                };
              }),
      BestFit("gap_above_the_last",
              "begins the next gap where the last tensor ends, though one "
              "before it may reach higher",
              [](BestFitSteps* steps) {
                steps->next_gap = [](size_t, size_t end) { return end; };
              }),
  };
}

}  // namespace

std::vector<OffsetsMutant> ByteMutants() {
  std::vector<OffsetsMutant> mutants;
  for (auto* part : {MutantsOfAlignment, MutantsOfIntegers, MutantsOfGaps}) {
    for (OffsetsMutant& mutant : part()) mutants.push_back(std::move(mutant));
  }
  return mutants;
}

}  // namespace stowage::testing
