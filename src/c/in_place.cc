// SPDX-License-Identifier: Apache-2.0
// Defines stowage_plan_in_place(). The function allocates no memory, and
// therefore does not use Status.
#include <cstddef>
#include <cstdint>

#include "src/c/border.h"
#include "src/c/place_records.h"
#include "stowage/base/string_view.h"
#include "stowage/c/solve.h"
#include "stowage/micro/status.h"

namespace stowage::c_api {
namespace {

// How to report an error of the in-place planner.
struct PlacingError {
  stowage_micro_status status;
  stowage_code code;
  bool names_records;
  string_view message;
};

constexpr PlacingError kPlacingErrors[] = {
    {STOWAGE_MICRO_NULL_ARGUMENT, STOWAGE_INVALID_ARGUMENT, false,
     "records: null; expected a pointer"},
    {STOWAGE_MICRO_BAD_ALIGNMENT, STOWAGE_INVALID_ARGUMENT, false,
     "alignment: expected a power of two"},
    {STOWAGE_MICRO_TOO_MANY_BUFFERS, STOWAGE_OUT_OF_RANGE, false,
     "count: expected at most STOWAGE_MAX_IN_PLACE records"},
    {STOWAGE_MICRO_BAD_WORKSPACE, STOWAGE_INVALID_ARGUMENT, false,
     "workspace: null, too small or not aligned; expected "
     "STOWAGE_WORKSPACE_BYTES(count) bytes at a multiple of "
     "STOWAGE_WORKSPACE_ALIGNMENT"},
    {STOWAGE_MICRO_REVERSED_LIFETIME, STOWAGE_INVALID_ARGUMENT, true,
     "record: first_task is above last_task; expected at most last_task"},
    {STOWAGE_MICRO_MISALIGNED_OFFSET, STOWAGE_INVALID_ARGUMENT, true,
     "record: its fixed offset is misaligned; expected a multiple of the "
     "alignment"},
    {STOWAGE_MICRO_OVERLAP, STOWAGE_INVALID_ARGUMENT, true,
     "two records at fixed offsets share bytes and a task; expected none"},
    {STOWAGE_MICRO_OVERFLOW, STOWAGE_OUT_OF_RANGE, true,
     "the bytes of the arena exceed 2^64 - 1; expected fewer"},
};

stowage_code ReportPlacing(stowage_micro_status status,
                           const uint32_t witness[2], stowage_error* error) {
  for (const PlacingError& known : kPlacingErrors) {
    if (known.status != status) continue;
    uint64_t record = STOWAGE_NONE;
    uint64_t other = STOWAGE_NONE;
    if (known.names_records && witness[0] != UINT32_MAX) {
      record = witness[0];
      if (witness[1] != witness[0]) other = witness[1];
    }
    return ReportRecord(known.code, known.message, record, other, error);
  }
  return Report(STOWAGE_OK, "", error);
}

}  // namespace
}  // namespace stowage::c_api

namespace c_api = stowage::c_api;

extern "C" stowage_code stowage_plan_in_place(stowage_placed_record* records,
                                              size_t count, uint64_t alignment,
                                              void* workspace,
                                              size_t workspace_bytes,
                                              uint64_t* total,
                                              stowage_error* error) {
  if (!c_api::IsUsable(error)) return STOWAGE_INVALID_ARGUMENT;
  if (total == nullptr) {
    return c_api::Report(STOWAGE_INVALID_ARGUMENT,
                         "total: null; expected a pointer", error);
  }
  uint32_t witness[2] = {UINT32_MAX, UINT32_MAX};
  const stowage_micro_status status =
      count > STOWAGE_MAX_IN_PLACE
          ? STOWAGE_MICRO_TOO_MANY_BUFFERS
          : stowage_place_records(records, count, alignment, workspace,
                                  workspace_bytes, total, witness);
  return c_api::ReportPlacing(status, witness, error);
}
