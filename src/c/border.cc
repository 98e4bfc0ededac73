// SPDX-License-Identifier: Apache-2.0
#include "src/c/border.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/base/str_cat.h"
#include "src/c/numbers.h"
#include "stowage/base/optional.h"
#include "stowage/base/status.h"
#include "stowage/base/string_view.h"
#include "stowage/base/text.h"
#include "stowage/c/error.h"
#include "stowage/error_payload.h"
#include "stowage/verify.h"

namespace stowage::c_api {
namespace {

// The maximum length of a UTF-8 character in bytes.
constexpr size_t kMaxCharacter = 4;

// Returns the length in bytes of the character at the start of `text`, or 0 if
// `text` does not start with a valid character. Requires that `text` is not
// empty.
size_t CharacterBytes(string_view text) {
  for (size_t size = 1; size <= std::min(kMaxCharacter, text.size()); ++size) {
    if (IsUtf8(text.substr(0, size))) return size;
  }
  return 0;
}

bool NamesTwoRecords(const Violation& violation) {
  switch (violation.kind) {
    case Violation::Kind::kOverlappingBytes:
    case Violation::Kind::kSharedObject:
    case Violation::Kind::kGroupBroken:
    case Violation::Kind::kNotApart:
    case Violation::Kind::kWrongPool:
    case Violation::Kind::kUnorderedSharing:
    case Violation::Kind::kSharedInPart:
      return violation.second_tensor != violation.first_tensor;
    default:
      return false;
  }
}

// Returns the records that the error is about.
std::vector<size_t> RecordsOfError(const Status& status) {
  std::vector<size_t> records = RecordsOf(status);
  const optional<Violation> violation = ViolationOf(status);
  if (!records.empty() || !violation ||
      violation->kind == Violation::Kind::kInvalidAlignment ||
      violation->kind == Violation::Kind::kCountMismatch) {
    return records;
  }
  records.push_back(violation->first_tensor);
  if (NamesTwoRecords(*violation)) records.push_back(violation->second_tensor);
  return records;
}

stowage_error EmptyError() {
  stowage_error error = {};
  error.record = STOWAGE_NONE;
  error.other_record = STOWAGE_NONE;
  return error;
}

}  // namespace

void CopyText(string_view text, char* buffer, size_t size) {
  size_t used = 0;
  while (!text.empty()) {
    const size_t bytes = CharacterBytes(text);
    const string_view character =
        bytes == 0 ? string_view("?") : text.substr(0, bytes);
    if (character.size() > size - 1 - used) break;
    std::copy(character.begin(), character.end(), buffer + used);
    used += character.size();
    text.remove_prefix(std::max<size_t>(bytes, 1));
  }
  buffer[used] = '\0';
}

Status CheckArray(const void* array, size_t count, string_view name) {
  if (count > kMaxCount) {
    return OutOfRangeError(
        StrCat(name, ": a count of ", count, "; expected at most ", kMaxCount));
  }
  return count == 0 ? OkStatus() : CheckPointer(array, name);
}

Status CheckFlag(uint32_t flag, string_view name) {
  if (flag <= 1) return OkStatus();
  return InvalidArgumentError(StrCat(name, ": ", flag, "; expected 0 or 1"));
}

stowage_code ReportRecord(stowage_code code, string_view message,
                          uint64_t record, uint64_t other_record,
                          stowage_error* error) {
  if (error == nullptr) return code;
  stowage_error filled = EmptyError();
  filled.code = code;
  filled.record = record;
  filled.other_record = other_record;
  CopyText(message, filled.message, sizeof(filled.message));
  WriteSized(filled, error);
  return code;
}

stowage_code Report(stowage_code code, string_view message,
                    stowage_error* error) {
  return ReportRecord(code, message, STOWAGE_NONE, STOWAGE_NONE, error);
}

stowage_code Report(const Status& status, stowage_error* error) {
  // Codes have the same numbers in C and in C++.
  const auto code = static_cast<stowage_code>(status.code());
  if (error == nullptr) return code;
  stowage_error filled = EmptyError();
  filled.code = code;
  if (!status.ok()) {
    const std::vector<size_t> records = RecordsOfError(status);
    if (!records.empty()) filled.record = records[0];
    if (records.size() > 1) filled.other_record = records[1];
    filled.missing_features = BitsOf(FeaturesOf(status));
    CopyText(status.message(), filled.message, sizeof(filled.message));
  }
  WriteSized(filled, error);
  return code;
}

}  // namespace stowage::c_api
