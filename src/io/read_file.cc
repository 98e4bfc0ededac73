// SPDX-License-Identifier: Apache-2.0
#include "src/io/read_file.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "src/io/input_file.h"

namespace stowage {
namespace {

constexpr size_t kReadFileChunk = size_t{1} << 20;

}  // namespace

absl::StatusOr<std::string> ReadFile(const std::string& path,
                                     size_t max_bytes) {
  const absl::StatusOr<std::unique_ptr<InputFile>> file = InputFile::Open(path);
  if (!file.ok()) return file.status();
  std::string content;
  while (content.size() <= max_bytes) {
    const size_t size = content.size();
    // Read up to one byte above the limit to detect a longer file.
    content.resize(size + std::min(kReadFileChunk, max_bytes - size) + 1);
    const absl::StatusOr<size_t> count =
        (*file)->Read(absl::MakeSpan(content).subspan(size));
    content.resize(size + count.value_or(0));
    if (!count.ok()) return count.status();
    if (*count == 0) return content;
  }
  return absl::OutOfRangeError(absl::StrCat(
      (*file)->name(), ": too long; expected at most ", max_bytes, " bytes"));
}

}  // namespace stowage
