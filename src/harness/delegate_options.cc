// SPDX-License-Identifier: Apache-2.0
#include "stowage/harness/delegate_options.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

namespace stowage::harness {
namespace {

absl::Status OptionError(absl::string_view option, absl::string_view what,
                         absl::string_view expected) {
  return absl::InvalidArgumentError(
      absl::StrCat("option '", option, "': ", what, "; expected ", expected));
}

}  // namespace

absl::StatusOr<DelegateOptions> DelegateOptions::Parse(absl::string_view text,
                                                       Words keys) {
  Values values;
  if (text.empty()) return DelegateOptions(std::move(values));
  for (const absl::string_view part : absl::StrSplit(text, ',')) {
    const size_t equals = part.find('=');
    if (equals == absl::string_view::npos) {
      return OptionError(part, "has no '='", "key=value, separated by commas");
    }
    const absl::string_view key = part.substr(0, equals);
    if (!absl::c_linear_search(keys, key)) {
      return OptionError(
          key, "unknown",
          keys.size() == 0 ? "no options" : absl::StrJoin(keys, " or "));
    }
    const bool is_new =
        values.emplace(std::string(key), std::string(part.substr(equals + 1)))
            .second;
    if (!is_new) return OptionError(key, "given twice", "it once");
  }
  return DelegateOptions(std::move(values));
}

absl::StatusOr<int64_t> DelegateOptions::Number(absl::string_view key,
                                                int64_t unset, int64_t min,
                                                int64_t max) const {
  const auto found = values_.find(key);
  if (found == values_.end()) return unset;
  int64_t number = 0;
  if (!absl::SimpleAtoi(found->second, &number) || number < min ||
      number > max) {
    return OptionError(
        key, absl::StrCat("'", found->second, "' is not a number in its range"),
        absl::StrCat(min, " to ", max));
  }
  return number;
}

absl::StatusOr<size_t> DelegateOptions::Choice(absl::string_view key,
                                               Words choices) const {
  const auto found = values_.find(key);
  if (found == values_.end()) return size_t{0};
  const auto* const choice = absl::c_find(choices, found->second);
  if (choice == choices.end()) {
    return OptionError(key, absl::StrCat("unknown value '", found->second, "'"),
                       absl::StrJoin(choices, " or "));
  }
  return static_cast<size_t>(choice - choices.begin());
}

}  // namespace stowage::harness
