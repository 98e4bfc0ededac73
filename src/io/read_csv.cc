// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "src/io/input_file.h"
#include "src/io/other_format.h"
#include "src/io/parse_csv.h"
#include "stowage/trace.h"

namespace stowage {

absl::StatusOr<Trace> ReadTraceCsv(const std::string& path,
                                   const TraceOptions& options) {
  const absl::StatusOr<std::unique_ptr<InputFile>> file = InputFile::Open(path);
  if (!file.ok()) return file.status();
  const absl::StatusOr<absl::string_view> start =
      (*file)->Peek(kFormatStartBytes);
  if (!start.ok()) return start.status();
  if (absl::Status s = CheckFormat(*start, (*file)->name()); !s.ok()) return s;
  return ParseTraceCsv(file->get(), (*file)->name(), options);
}

}  // namespace stowage
