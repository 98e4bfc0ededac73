// SPDX-License-Identifier: Apache-2.0
#include "stowage/usage_record.h"

#include <cstddef>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/model/record_errors.h"
#include "stowage/error_payload.h"

namespace stowage {
namespace {

template <typename TensorSizeT>
absl::Status CheckEach(
    absl::Span<const TensorUsageRecord<TensorSizeT>> records) {
  if (records.size() > kMaxRecords) {
    return absl::OutOfRangeError(absl::StrCat(
        "records: ", records.size(), " given; expected at most ", kMaxRecords));
  }
  for (size_t i = 0; i < records.size(); ++i) {
    const TensorUsageRecord<TensorSizeT>& record = records[i];
    if (record.first_task > record.last_task) {
      return InvalidRecords(
          {i}, absl::StrCat("its first task ", record.first_task,
                            " is after its last task ", record.last_task,
                            "; expected the first not after the last"));
    }
    const absl::StatusOr<size_t> count = ElementCount(record.tensor_size);
    if (!count.ok()) {
      return WithRecords(AtPlace(ListRecords({i}), count.status()), {i});
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckUsageRecords(
    absl::Span<const TensorUsageRecord<size_t>> records) {
  if (absl::Status status = CheckEach(records); !status.ok()) return status;
  size_t sum = 0;
  for (size_t i = 0; i < records.size(); ++i) {
    const absl::optional<size_t> next = CheckedAdd(sum, records[i].tensor_size);
    if (!next) {
      return OutOfRangeRecord(
          i, absl::StrCat("its size ", records[i].tensor_size,
                          " makes the sum of sizes overflow 64 bits; expected "
                          "a sum below 2^64"));
    }
    sum = *next;
  }
  return absl::OkStatus();
}

absl::Status CheckUsageRecords(
    absl::Span<const TensorUsageRecord<uint2>> records) {
  return CheckEach(records);
}

absl::Status CheckUsageRecords(
    absl::Span<const TensorUsageRecord<uint3>> records) {
  return CheckEach(records);
}

absl::Status CheckUsageRecords(
    absl::Span<const TensorUsageRecord<BHWC>> records) {
  return CheckEach(records);
}

}  // namespace stowage
