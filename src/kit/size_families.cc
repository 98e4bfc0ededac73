// SPDX-License-Identifier: Apache-2.0
// Defines families of sizes that make planners fail.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "src/kit/family_row.h"
#include "stowage/base/span.h"
#include "stowage/testing/families.h"
#include "stowage/testing/specs.h"

namespace stowage::testing {
namespace {

Sample TwoKinds(const Parameters& parameters) {
  return UsualLimits(parameters, 2);
}
Sample ThreeKinds(const Parameters& parameters) {
  return UsualLimits(parameters, 3);
}

ProblemSpec EqualSizes(Span<const Sample> samples,
                       const Parameters& parameters) {
  const size_t size = BytesOf(samples[0]);
  return BuildInOrder(samples, parameters,
                      [size](const Sample&) { return size; });
}

ProblemSpec PowersOfTwo(Span<const Sample> samples,
                        const Parameters& parameters) {
  return BuildInOrder(samples, parameters, [](const Sample& sample) {
    return size_t{1} << sample.size;
  });
}

Sample PowersOfTwoLimits(const Parameters& parameters) {
  Sample limits = UsualLimits(parameters);
  uint64_t powers = 1;
  while ((size_t{1} << powers) <= parameters.max_size) ++powers;
  limits.size = powers;
  return limits;
}

ProblemSpec NearlyEqualSizes(Span<const Sample> samples,
                             const Parameters& parameters) {
  const size_t base = BytesOf(samples[0]);
  return BuildInOrder(samples, parameters, [base](const Sample& sample) {
    return base + sample.kind;
  });
}

ProblemSpec FewSizes(Span<const Sample> samples, const Parameters& parameters) {
  constexpr std::array<size_t, 4> kSizes = {16, 17, 64, 1024};
  return BuildInOrder(samples, parameters, [&](const Sample& sample) {
    return kSizes[sample.kind];
  });
}

Sample FewSizesLimits(const Parameters& parameters) {
  Sample limits = UsualLimits(parameters, 4);
  limits.gap = 2;
  limits.life = 3;
  return limits;
}

ProblemSpec ZeroSizes(Span<const Sample> samples,
                      const Parameters& parameters) {
  return BuildInOrder(samples, parameters, [](const Sample& sample) {
    return sample.kind == 1 ? size_t{0} : BytesOf(sample);
  });
}

constexpr size_t kHuge = size_t{1} << 31;

ProblemSpec HugeSizes(Span<const Sample> samples,
                      const Parameters& parameters) {
  return BuildInOrder(samples, parameters,
                      [](const Sample& sample) { return kHuge + sample.size; });
}

Sample HugeSizesLimits(const Parameters& parameters) {
  Sample limits = UsualLimits(parameters);
  limits.size = (size_t{1} << 48) - kHuge;
  return limits;
}

// Exponents of powers of two. Most of them are the number of bits of a short
// integer type, or of the mantissa of a floating-point type. A conversion to
// such a type changes sizes near this power of two.
constexpr std::array<int, 9> kEdges = {0, 7, 8, 15, 16, 24, 31, 32, 48};

ProblemSpec EdgeSizes(Span<const Sample> samples,
                      const Parameters& parameters) {
  return BuildInOrder(samples, parameters, [](const Sample& sample) {
    const size_t edge = size_t{1} << kEdges[sample.kind];
    return edge - 1 + sample.size;
  });
}

Sample EdgeSizesLimits(const Parameters& parameters) {
  Sample limits = UsualLimits(parameters, kEdges.size());
  limits.size = 3;
  return limits;
}

// Returns records that reveal floating-point computations. Large sizes are in
// [2^53 - 1, 2^53 + 1], where a double can no longer represent every integer.
// All other records have a few bytes. There are no large sizes after the sum
// has reached 2^62, so the sum fits in 64 bits.
ProblemSpec DoublePrecision(Span<const Sample> samples,
                            const Parameters& parameters) {
  size_t sum = 0;
  return BuildInOrder(samples, parameters, [&sum](const Sample& sample) {
    constexpr size_t kEdge = size_t{1} << 53;
    const bool is_large = sample.kind == 1 && sum < size_t{1} << 62;
    const size_t size = is_large ? kEdge - 1 + sample.size : 1 + sample.size;
    sum += size;
    return size;
  });
}

Sample DoublePrecisionLimits(const Parameters& parameters) {
  Sample limits = UsualLimits(parameters, 2);
  limits.size = 3;
  return limits;
}

// Returns records with small sizes, sizes above a quarter of 2^64, and sizes
// just below 2^64.
ProblemSpec OverflowingSizes(Span<const Sample> samples,
                             const Parameters& parameters) {
  return BuildInOrder(samples, parameters, [](const Sample& sample) {
    constexpr size_t kMax = std::numeric_limits<size_t>::max();
    const size_t small = sample.size % 4096;
    if (sample.kind == 0) return small;
    if (sample.kind == 1) return kMax / 4 + 1 + sample.size;
    return kMax - small;
  });
}

Sample OverflowingSizesLimits(const Parameters& parameters) {
  Sample limits = UsualLimits(parameters, 3);
  limits.size = size_t{3} << 62;
  return limits;
}

// Returns `parameters` with alignments added if there are none.
Parameters WithAlignments(Parameters parameters) {
  parameters.max_alignment = std::max<size_t>(parameters.max_alignment, 64);
  return parameters;
}

// Returns records with sizes that are a multiple of one alignment, or one byte
// less or more, while their offsets must be multiples of a different alignment.
ProblemSpec AlignmentTraps(Span<const Sample> samples,
                           const Parameters& parameters) {
  return BuildInOrder(samples, WithAlignments(parameters),
                      [](const Sample& sample) {
                        const size_t step = size_t{1} << (sample.kind / 3);
                        return step * (1 + sample.size) - 1 + sample.kind % 3;
                      });
}

Sample AlignmentTrapsLimits(const Parameters& parameters) {
  Sample limits = UsualLimits(WithAlignments(parameters));
  limits.size = 8;
  // The kind selects the alignment, and whether the size is one byte less,
  // equal, or one byte more.
  limits.kind = 3 * limits.alignment;
  return limits;
}

}  // namespace

Span<const FamilyRow> SizeFamilies() {
  static constexpr FamilyRow kRows[] = {
      {{Family::kEqualSizes, "equal_sizes",
        "one size for all: orders by size without a tie-break"},
       &OneKind,
       &EqualSizes},
      {{Family::kPowersOfTwo, "powers_of_two",
        "sizes that are powers of two: buddies, shifts by one too many"},
       &PowersOfTwoLimits,
       &PowersOfTwo},
      {{Family::kNearlyEqualSizes, "nearly_equal_sizes",
        "sizes that differ by a byte or two: objects a byte too small"},
       &ThreeKinds,
       &NearlyEqualSizes},
      {{Family::kFewSizes, "few_sizes",
        "four sizes and few tasks: ties in every order by one key"},
       &FewSizesLimits,
       &FewSizes},
      {{Family::kZeroSizes, "zero_sizes",
        "every other tensor has no bytes, may be placed anywhere and conflicts "
        "with nothing: division, empty ranges"},
       &TwoKinds,
       &ZeroSizes},
      {{Family::kHugeSizes, "huge_sizes",
        "sizes from 2^31 to 2^48: 32-bit arithmetic"},
       &HugeSizesLimits,
       &HugeSizes},
      {{Family::kEdgeSizes, "edge_sizes",
        "sizes at the ends of 7, 8, 15, 16, 24, 31, 32 and 48 bits, and one to "
        "either side: narrow and floating-point numbers"},
       &EdgeSizesLimits,
       &EdgeSizes},
      {{Family::kDoublePrecision, "double_precision",
        "sizes at 2^53 and a byte to either side, and of a few bytes: offsets "
        "kept in double"},
       &DoublePrecisionLimits,
       &DoublePrecision},
      {{Family::kOverflowingSizes, "overflowing_sizes",
        "sizes whose sums exceed 2^64 - 1: arithmetic that wraps instead of "
        "failing",
        /*in_execution_order=*/true, /*is_plannable=*/false},
       &OverflowingSizesLimits,
       &OverflowingSizes},
      {{Family::kAlignmentTraps, "alignment_traps",
        "sizes a byte to either side of an alignment, with alignments that "
        "differ: sizes aligned instead of offsets"},
       &AlignmentTrapsLimits,
       &AlignmentTraps},
  };
  return kRows;
}

}  // namespace stowage::testing
