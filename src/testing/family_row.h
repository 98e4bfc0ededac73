// SPDX-License-Identifier: Apache-2.0
// The definition of a family, and the functions that families share.
#ifndef STOWAGE_TESTING_FAMILY_ROW_H_
#define STOWAGE_TESTING_FAMILY_ROW_H_

#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/types/span.h"
#include "stowage/testing/families.h"
#include "stowage/testing/instance.h"
#include "stowage/usage_record.h"

namespace stowage::testing {

struct FamilyRow {
  FamilyInfo info;
  Draw (*limits)(const Parameters& parameters) = nullptr;
  // Draws are below their limits.
  Instance (*build)(absl::Span<const Draw> draws,
                    const Parameters& parameters) = nullptr;
};

// The families, in groups as the enumeration has them.
absl::Span<const FamilyRow> NetworkFamilies();
absl::Span<const FamilyRow> SizeFamilies();
absl::Span<const FamilyRow> IntervalFamilies();
absl::Span<const FamilyRow> HardFamilies();

// The task `forward` after another, or the last there is.
TaskId AddTasks(TaskId task, TaskId forward);

// The limits of most families: a size, a gap and a life as the parameters have
// them, and `kinds`.
Draw UsualLimits(const Parameters& parameters, uint64_t kinds = 1);
Draw OneKind(const Parameters& parameters);

// The size of `draw` below UsualLimits: 1 byte to the largest size.
inline size_t BytesOf(const Draw& draw) { return draw.size + 1; }

// Collects records, with alignments if the parameters ask for them.
class InstanceBuilder {
 public:
  explicit InstanceBuilder(const Parameters& parameters)
      : has_alignments_(parameters.max_alignment > 1) {}

  // A record of `draw`, from one task to another.
  void Add(const Draw& draw, size_t size, TaskId first, TaskId last);

  ByteRecords& records() { return instance_.records; }
  void set_optimum(size_t bytes) { instance_.optimum = bytes; }

  // Puts record order[i] in place i.
  void Reorder(absl::Span<const size_t> order);
  // Stable: records with the same first task keep their order.
  void SortByFirstTask();

  Instance Finish() &&;

 private:
  bool has_alignments_;
  Instance instance_;
};

// Records whose first tasks never decrease: `size_of(draw)` bytes each.
template <typename SizeOf>
Instance BuildInOrder(absl::Span<const Draw> draws,
                      const Parameters& parameters, SizeOf size_of) {
  InstanceBuilder builder(parameters);
  TaskId first = 0;
  for (const Draw& draw : draws) {
    first = AddTasks(first, draw.gap);
    builder.Add(draw, size_of(draw), first, AddTasks(first, draw.life));
  }
  return std::move(builder).Finish();
}

// Networks of plain, residual, branching and encoder-decoder blocks.
InstanceBuilder BuildNetwork(absl::Span<const Draw> draws,
                             const Parameters& parameters);
Draw NetworkLimits(const Parameters& parameters);

}  // namespace stowage::testing

#endif  // STOWAGE_TESTING_FAMILY_ROW_H_
