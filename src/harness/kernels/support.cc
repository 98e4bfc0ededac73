// SPDX-License-Identifier: Apache-2.0
#include "src/harness/kernels/support.h"

#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "flatbuffers/flatbuffers.h"

namespace stowage::harness {

const flatbuffers::Table* EmptyTable() {
  // The bytes of an empty table. The table begins with the distance back to its
  // vtable. The vtable contains its own size, 4, and the size of the table, 4,
  // and lists no fields.
  alignas(4) static constexpr uint8_t kBytes[] = {4, 0, 4, 0, 4, 0, 0, 0};
  return reinterpret_cast<const flatbuffers::Table*>(kBytes + 4);
}

std::string IndexRange(int64_t size) {
  return size == 0 ? "none, since the dimension is 0"
                   : absl::StrCat("0 to ", size - 1);
}

}  // namespace stowage::harness
