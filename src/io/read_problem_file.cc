// SPDX-License-Identifier: Apache-2.0
// Detects the format of a file by the table of formats, and reads the file.
#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <string>

#include "src/io/parse_csv.h"
#include "src/io/read_json.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/io/input_file.h"
#include "stowage/io/other_format.h"
#include "stowage/io/problem_file.h"

namespace stowage {
namespace {

using problem_file::kProblemStartBytes;

// A format of this library. Its files are read piece by piece, and reading
// stops at the first invalid byte, even if the file is an endless stream.
struct StreamedFormat {
  const char* name;
  bool (*detect)(string_view start);
  StatusOr<ProblemFile> (*read)(InputFile* file, string_view start,
                                const CsvOptions& csv);
};

// CSV is tried last, because a CSV file can begin with any text.
const StreamedFormat kStreamedFormats[] = {
    {"json", problem_file::IsProblem,
     [](InputFile* file, string_view /*start*/, const CsvOptions& /*csv*/) {
       return problem_file::ReadJson(file, file->name());
     }},
    {"other", [](string_view start) { return !OtherFormat(start).empty(); },
     [](InputFile* file, string_view start, const CsvOptions& /*csv*/) {
       return StatusOr<ProblemFile>(CheckFormat(start, file->name()));
     }},
    {"csv", [](string_view /*start*/) { return true; },
     [](InputFile* file, string_view /*start*/, const CsvOptions& csv) {
       return ParseProblemCsv(file, file->name(), csv);
     }},
};

void SetFormat(string_view name, const FileOptions& options) {
  if (options.format != nullptr) *options.format = std::string(name);
}

}  // namespace

StatusOr<ProblemFile> ReadProblemFile(const std::string& path,
                                      const FileOptions& options) {
  const StatusOr<std::unique_ptr<InputFile>> file = InputFile::Open(path);
  if (!file.ok()) return file.status();
  const size_t own_bytes = std::max(kProblemStartBytes, kFormatStartBytes);
  size_t peeked_bytes = own_bytes;
  for (const FileFormat& format : options.formats) {
    peeked_bytes = std::max(peeked_bytes, format.start_bytes);
  }
  const StatusOr<string_view> peeked = (*file)->Peek(peeked_bytes);
  if (!peeked.ok()) return peeked.status();
  for (const FileFormat& format : options.formats) {
    if (!format.detect(*peeked, path)) continue;
    SetFormat(format.name, options);
    const StatusOr<string_view> bytes = (*file)->Contents();
    if (!bytes.ok()) return bytes.status();
    return format.parse(*bytes, (*file)->name());
  }
  const string_view start = peeked->substr(0, own_bytes);
  const auto* const format = std::find_if(
      std::begin(kStreamedFormats), std::end(kStreamedFormats),
      [&](const StreamedFormat& each) { return each.detect(start); });
  SetFormat(format->name, options);
  return format->read(file->get(), start, options.csv);
}

}  // namespace stowage
