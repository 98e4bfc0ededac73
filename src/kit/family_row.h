// SPDX-License-Identifier: Apache-2.0
// Defines the table row of a family, and functions that families share.
#ifndef STOWAGE_SRC_KIT_FAMILY_ROW_H_
#define STOWAGE_SRC_KIT_FAMILY_ROW_H_

#include <cstddef>
#include <cstdint>
#include <utility>

#include "stowage/base/span.h"
#include "stowage/testing/families.h"
#include "stowage/testing/specs.h"
#include "stowage/usage_record.h"

namespace stowage::testing {

struct FamilyRow {
  FamilyInfo info;
  Sample (*limits)(const Parameters& parameters) = nullptr;
  // Builds the instance. Requires that the numbers of each sample are below the
  // limits of the family.
  ProblemSpec (*build)(Span<const Sample> samples,
                       const Parameters& parameters) = nullptr;
};

// Return the families, grouped as in the enumeration Family.
Span<const FamilyRow> NetworkFamilies();
Span<const FamilyRow> SizeFamilies();
Span<const FamilyRow> IntervalFamilies();
Span<const FamilyRow> HardFamilies();

// Returns the sum of `task` and `forward`, or the largest possible task if the
// sum would exceed it.
TaskId AddTasks(TaskId task, TaskId forward);

// Returns the limits of most families: the limits of size, gap and life are
// those of the parameters, and the number of kinds is `kinds`.
Sample UsualLimits(const Parameters& parameters, uint64_t kinds = 1);
Sample OneKind(const Parameters& parameters);

// Returns the size in bytes that a sample below UsualLimits represents, from 1
// to the largest size.
inline size_t BytesOf(const Sample& sample) { return sample.size + 1; }

// Collects records, with alignments if the parameters request them.
class SpecBuilder {
 public:
  explicit SpecBuilder(const Parameters& parameters)
      : has_alignments_(parameters.max_alignment > 1) {}

  // Adds a record of `size` bytes that is live from `first` to `last`. The
  // alignment is taken from `sample`.
  void Add(const Sample& sample, size_t size, TaskId first, TaskId last);

  ByteRecords& records() { return spec_.records; }

  // Reorders the records by moving the record at index order[i] to index i.
  void Reorder(Span<const size_t> order);
  // Sorts the records by first task. Records with the same first task keep
  // their order.
  void SortByFirstTask();

  ProblemSpec Finish() &&;

 private:
  bool has_alignments_;
  ProblemSpec spec_;
};

// Returns one record of `size_of(sample)` bytes for each sample. The first
// tasks of the records never decrease.
template <typename SizeOf>
ProblemSpec BuildInOrder(Span<const Sample> samples,
                         const Parameters& parameters, SizeOf size_of) {
  SpecBuilder builder(parameters);
  TaskId first = 0;
  for (const Sample& sample : samples) {
    first = AddTasks(first, sample.gap);
    builder.Add(sample, size_of(sample), first, AddTasks(first, sample.life));
  }
  return std::move(builder).Finish();
}

// BuildNetwork builds networks of plain, residual, branching and
// encoder-decoder blocks.
SpecBuilder BuildNetwork(Span<const Sample> samples,
                         const Parameters& parameters);
Sample NetworkLimits(const Parameters& parameters);

}  // namespace stowage::testing

#endif  // STOWAGE_SRC_KIT_FAMILY_ROW_H_
