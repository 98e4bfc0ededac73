// SPDX-License-Identifier: Apache-2.0
// Reads the binary files (.plc) of the allocator idealloc. A row has eight
// 64-bit numbers, with the most significant byte first: the id, the first task,
// one past the last task, the size, two numbers that are irrelevant to plans,
// the alignment (0 for none), and the size that was requested before rounding
// (source: coreba/src/helpe.rs of github.com/cappadokes/idealloc).
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "src/recordings/recording_format.h"
#include "src/recordings/recording_input.h"
#include "src/recordings/rounded_size.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/problem.h"
#include "stowage/recordings/recording.h"

namespace stowage::recordings {
namespace {

constexpr size_t kNumbers = 8;
constexpr size_t kRowBytes = 8 * kNumbers;

struct IdeallocRow {
  uint64_t id;
  uint64_t lower;
  uint64_t upper;
  uint64_t size;
  uint64_t alignment;
};

uint64_t BigEndian(string_view bytes) {
  uint64_t number = 0;
  for (const char byte : bytes.substr(0, 8)) {
    number = number << 8 | static_cast<uint8_t>(byte);
  }
  return number;
}

IdeallocRow ParseRow(string_view row) {
  const auto number = [row](size_t i) { return BigEndian(row.substr(8 * i)); };
  return {number(0), number(1), number(2), number(3), number(6)};
}

// Returns what is wrong with a row and what was expected, or an empty string if
// the row is valid.
std::string WhyBad(const IdeallocRow& row) {
  if (row.upper <= row.lower) {
    return absl::StrCat("lives from ", row.lower, " to ", row.upper,
                        "; expected an end after the start");
  }
  if (row.size == 0) return "has no bytes; expected a positive size";
  if ((row.alignment & (row.alignment - 1)) != 0) {
    return absl::StrCat("has the alignment ", row.alignment,
                        "; expected a power of two, or 0");
  }
  return "";
}

// Returns whether the path ends in ".plc" or the file begins with a valid row.
// A row has no magic number, so the numbers of the first row must also be as
// small as those of real programs. Such numbers begin with zero bytes, with
// which files of other formats do not begin.
bool DetectIdealloc(string_view start, const std::string& path) {
  if (absl::EndsWith(path, ".plc")) return true;
  if (start.size() < kRowBytes) return false;
  const IdeallocRow row = ParseRow(start);
  constexpr uint64_t kEnd = uint64_t{1} << 48;
  return std::max({row.id, row.upper, row.size, row.alignment}) < kEnd &&
         WhyBad(row).empty();
}

StatusOr<std::vector<RecordingPart>> ReadIdealloc(
    RecordingInput* input, const RecordingOptions& options) {
  const StatusOr<string_view> bytes = input->Contents();
  if (!bytes.ok()) return bytes.status();
  if (bytes->empty() || bytes->size() % kRowBytes != 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        input->name(), ": has ", bytes->size(), " bytes; expected rows of ",
        kRowBytes,
        " bytes: the id, the first task, one past the last task, "
        "the size, two other numbers, the alignment and the requested size, "
        "each in 8 bytes with the most significant byte first"));
  }
  RecordingPart part;
  part.name = "jobs";
  ProblemSpec& problem = part.file.problem;
  const size_t count = bytes->size() / kRowBytes;
  problem.records.reserve(count);
  problem.alignments.reserve(count);
  problem.names.reserve(count);
  absl::flat_hash_set<uint64_t> ids;
  ids.reserve(count);
  for (size_t at = 0; at < bytes->size(); at += kRowBytes) {
    const IdeallocRow row = ParseRow(bytes->substr(at, kRowBytes));
    std::string why = WhyBad(row);
    if (!ids.insert(row.id).second) {
      why = "is a second one of this id; expected each id once";
    }
    if (!why.empty()) {
      return absl::InvalidArgumentError(absl::StrCat(
          input->name(), ": row ", at / kRowBytes, ", id ", row.id, ": ", why));
    }
    const size_t size = RoundedSize(row.size, options.tensor_alignment);
    problem.records.emplace_back(size, row.lower, row.upper - 1);
    problem.alignments.push_back(row.alignment == 0 ? 1 : row.alignment);
    problem.names.push_back(absl::StrCat(row.id));
  }
  return OnePart(std::move(part));
}

}  // namespace

const RecordingFormat kIdealloc = {
    {"idealloc", "a file of jobs (.plc) of the allocator idealloc", ""},
    DetectIdealloc,
    ReadIdealloc,
};

}  // namespace stowage::recordings
