// SPDX-License-Identifier: Apache-2.0
#include "stowage/io/read_file.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>

#include "src/base/str_cat.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/io/input_file.h"

namespace stowage {
namespace {

constexpr size_t kReadFileChunk = size_t{1} << 20;

}  // namespace

StatusOr<std::string> ReadFile(const std::string& path, size_t max_bytes) {
  const StatusOr<std::unique_ptr<InputFile>> file = InputFile::Open(path);
  if (!file.ok()) return file.status();
  std::string content;
  while (content.size() <= max_bytes) {
    const size_t size = content.size();
    // Reads up to one byte more than the limit, to detect a file that is too
    // long.
    content.resize(size + std::min(kReadFileChunk, max_bytes - size) + 1);
    const StatusOr<size_t> count =
        (*file)->Read(MakeSpan(content).subspan(size));
    content.resize(size + count.value_or(0));
    if (!count.ok()) return count.status();
    if (*count == 0) return content;
  }
  return OutOfRangeError(StrCat(
      (*file)->name(), ": too long; expected at most ", max_bytes, " bytes"));
}

}  // namespace stowage
