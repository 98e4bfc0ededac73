// SPDX-License-Identifier: Apache-2.0
#include "stowage/usage_record.h"

#include <cstddef>

#include "src/base/str_cat.h"
#include "src/model/record_errors.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/error_payload.h"

namespace stowage {
namespace {

template <typename TensorSizeT>
Status CheckEach(Span<const TensorUsageRecord<TensorSizeT>> records) {
  if (records.size() > kMaxRecords) {
    return OutOfRangeError(StrCat("records: ", records.size(),
                                  " given; expected at most ", kMaxRecords));
  }
  for (size_t i = 0; i < records.size(); ++i) {
    const TensorUsageRecord<TensorSizeT>& record = records[i];
    if (record.first_task > record.last_task) {
      return InvalidRecords({i},
                            StrCat("its first task ", record.first_task,
                                   " is after its last task ", record.last_task,
                                   "; expected the first not after the last"));
    }
    const StatusOr<size_t> count = ElementCount(record.tensor_size);
    if (!count.ok()) {
      return WithRecords(AtPlace(ListRecords({i}), count.status()), {i});
    }
  }
  return OkStatus();
}

}  // namespace

Status CheckUsageRecords(Span<const TensorUsageRecord<size_t>> records) {
  if (Status status = CheckEach(records); !status.ok()) return status;
  size_t sum = 0;
  for (size_t i = 0; i < records.size(); ++i) {
    const optional<size_t> next = CheckedAdd(sum, records[i].tensor_size);
    if (!next) {
      return OutOfRangeRecord(
          i, StrCat("its size ", records[i].tensor_size,
                    " makes the sum of sizes overflow 64 bits; expected "
                    "a sum below 2^64"));
    }
    sum = *next;
  }
  return OkStatus();
}

Status CheckUsageRecords(Span<const TensorUsageRecord<uint2>> records) {
  return CheckEach(records);
}

Status CheckUsageRecords(Span<const TensorUsageRecord<uint3>> records) {
  return CheckEach(records);
}

Status CheckUsageRecords(Span<const TensorUsageRecord<BHWC>> records) {
  return CheckEach(records);
}

}  // namespace stowage
