// SPDX-License-Identifier: Apache-2.0
// Parses any text as a value on the command line. The parser must refuse the
// text with a message, or return exactly the value that the text states.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "fuzz/check.h"
#include "fuzz/engine.h"
#include "src/command/options.h"
#include "src/command/text.h"
#include "stowage/tensor_size.h"

namespace stowage::cli {
namespace {

void CheckRefusal(const absl::Status& status) {
  Check(absl::IsInvalidArgument(status) || absl::IsNotFound(status),
        status.ToString());
  Check(!status.message().empty(), "refused without a word");
}

void FuzzNumbers(absl::string_view text) {
  const absl::StatusOr<uint64_t> number = ParseNumber(text);
  const absl::StatusOr<size_t> size = ParseSize(text);
  const absl::StatusOr<size_t> alignment = ParseAlignment(text);
  if (number.ok()) {
    Check(ParseNumber(absl::StrCat(*number)).value() == *number,
          "another number");
    Check(size.ok() && *size == *number, "a number is a size");
  } else {
    CheckRefusal(number.status());
  }
  if (size.ok()) {
    Check(ParseSize(absl::StrCat(*size)).value() == *size, "another size");
    Check(alignment.ok() == IsValidAlignment(*size), "another power of two");
    FormatBytes(*size);
  } else {
    CheckRefusal(size.status());
    Check(!alignment.ok(), "an alignment that is no size");
  }
}

void FuzzTime(absl::string_view text) {
  const absl::StatusOr<absl::Duration> time = ParseTime(text);
  if (!time.ok()) return CheckRefusal(time.status());
  Check(*time >= absl::ZeroDuration(), "a time before now");
  Check(*time < absl::InfiniteDuration(), "a time without end");
  FormatTime(*time);
}

void FuzzStrategies(absl::string_view text) {
  const absl::StatusOr<std::vector<std::string>> names = ParseStrategies(text);
  if (!names.ok()) return CheckRefusal(names.status());
  Check(absl::StrJoin(*names, ",") == text, "other strategies");
}

void FuzzLine(absl::string_view text) {
  for (const char c : OneLine(text)) {
    const auto byte = static_cast<unsigned char>(c);
    Check(byte >= 0x20 && byte != 0x7F, "a control character in a line");
  }
}

}  // namespace
}  // namespace stowage::cli

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view text(reinterpret_cast<const char*>(data), size);
  stowage::cli::FuzzNumbers(text);
  stowage::cli::FuzzTime(text);
  stowage::cli::FuzzStrategies(text);
  stowage::cli::FuzzLine(text);
  return 0;
}
