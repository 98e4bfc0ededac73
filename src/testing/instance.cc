// SPDX-License-Identifier: Apache-2.0
#include "stowage/testing/instance.h"

#include <cstddef>

#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "stowage/tensor_size.h"
#include "stowage/trace.h"
#include "stowage/usage_record.h"

namespace stowage::testing {

Alignments Instance::alignment() const {
  if (alignments.empty()) return {};
  return absl::MakeConstSpan(alignments);
}

Instance MakeInstance(absl::Span<const ByteRecord> records,
                      const Alignments& alignments) {
  Instance instance;
  instance.records.assign(records.begin(), records.end());
  bool is_aligned = false;
  for (size_t i = 0; i < records.size(); ++i) {
    instance.alignments.push_back(alignments.Of(i));
    is_aligned = is_aligned || alignments.Of(i) != 1;
  }
  if (!is_aligned) instance.alignments.clear();
  return instance;
}

bool IsPlannable(const Instance& instance) {
  if (!CheckUsageRecords(instance.records).ok()) return false;
  const Alignments alignments = instance.alignment();
  if (!alignments.Check(instance.records.size()).ok()) return false;
  absl::optional<size_t> sum = 0;
  for (size_t i = 0; i < instance.records.size() && sum; ++i) {
    sum = CheckedAdd(*sum, instance.records[i].tensor_size);
    if (sum) sum = CheckedAdd(*sum, alignments.Of(i) - 1);
  }
  return sum.has_value();
}

Trace ToTrace(const Instance& instance) {
  Trace trace;
  trace.records = instance.records;
  trace.alignments = instance.alignments;
  for (size_t i = 0; i < instance.records.size(); ++i) {
    trace.ids.push_back(absl::StrCat("t", i));
  }
  return trace;
}

}  // namespace stowage::testing
