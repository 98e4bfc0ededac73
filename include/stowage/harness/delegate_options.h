// SPDX-License-Identifier: Apache-2.0
// Parses the options of a delegate: the text after the ':' in
// "xnnpack:threads=2,layout=nhwc". For the options of builtin operators, use
// operator_options.h.
//
//   auto options = DelegateOptions::Parse(text, {"threads", "layout"});
//   auto threads = options->Number("threads", 1, 1, 64);
//   auto layout = options->Choice("layout", {"nhwc", "nchw"});
//
// Every error is InvalidArgument and names the option. The caller prepends the
// name of the delegate.
#ifndef STOWAGE_HARNESS_DELEGATE_OPTIONS_H_
#define STOWAGE_HARNESS_DELEGATE_OPTIONS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace stowage::harness {

// The parsed options of a delegate. Parse creates an object.
class DelegateOptions {
 public:
  using Words = std::initializer_list<absl::string_view>;

  // Parses "key=value" pairs that are separated by commas, or an empty text.
  // Each key must be one of `keys`, and may occur only once.
  static absl::StatusOr<DelegateOptions> Parse(absl::string_view text,
                                               Words keys);

  // Returns the value of the option, which must be a decimal number in [min,
  // max]. Returns `unset` if the option is not given.
  absl::StatusOr<int64_t> Number(absl::string_view key, int64_t unset,
                                 int64_t min, int64_t max) const;

  // Returns the index of the option's value in `choices`, which must contain
  // the value. Returns 0 if the option is not given.
  absl::StatusOr<size_t> Choice(absl::string_view key, Words choices) const;

 private:
  using Values = std::map<std::string, std::string, std::less<>>;

  explicit DelegateOptions(Values values) : values_(std::move(values)) {}

  Values values_;
};

}  // namespace stowage::harness

#endif  // STOWAGE_HARNESS_DELEGATE_OPTIONS_H_
