// SPDX-License-Identifier: Apache-2.0
// Generates values from the bytes of a fuzzer. Use it for fuzzers with inputs
// that are not a file format.
//
// Values are taken from the front of the input. Each value uses only the bytes
// that it needs, so changing one byte changes one value. After the last byte,
// every value is 0.
#ifndef STOWAGE_FUZZ_INPUT_H_
#define STOWAGE_FUZZ_INPUT_H_

#include <cstddef>
#include <cstdint>
#include <limits>

#include "absl/strings/string_view.h"

namespace stowage {

class Input {
 public:
  Input(const uint8_t* data, size_t size) : data_(data), size_(size) {}
  explicit Input(absl::string_view bytes)
      : Input(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()) {}

  bool is_empty() const { return at_ == size_; }

  uint8_t Byte() { return is_empty() ? 0 : data_[at_++]; }

  bool Flag() { return (Byte() & 1) != 0; }

  // Returns a number in [0, limit].
  size_t UpTo(size_t limit) {
    size_t value = 0;
    for (size_t rest = limit; rest > 0; rest >>= 8) value = value << 8 | Byte();
    return limit == std::numeric_limits<size_t>::max() ? value
                                                       : value % (limit + 1);
  }

  // Returns one element of an array or a vector. Requires that `values` is not
  // empty.
  template <typename Values>
  const auto& OneOf(const Values& values) {
    return values[UpTo(values.size() - 1)];
  }

  // Returns a number. Small numbers are the most frequent, because they lead to
  // ties and to touching intervals. Powers of two are less frequent, and
  // numbers so large that their sums overflow are rare.
  size_t Number() {
    constexpr size_t kLargest = std::numeric_limits<size_t>::max();
    const uint8_t kind = Byte();
    if (kind < 200) return kind % 40;
    if (kind < 248) return size_t{1} << (kind - 200);
    if (kind < 252) return kLargest - (kind - 248);
    return UpTo(kLargest);
  }

 private:
  const uint8_t* data_;
  size_t size_;
  size_t at_ = 0;
};

}  // namespace stowage

#endif  // STOWAGE_FUZZ_INPUT_H_
