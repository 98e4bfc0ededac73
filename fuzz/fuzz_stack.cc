// SPDX-License-Identifier: Apache-2.0
// Checks and evaluates tables of stacks for devices. The readers in C and in
// C++ must accept the same tables. Each offset must be the lowest offset above
// all records that the table names for it. A sum that overflows must be an
// error. The first byte of an input determines the range of the sizes, and
// whether the hash of the table is corrected. Correcting the hash lets a
// damaged table pass the check of the hash.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "fuzz/check.h"
#include "fuzz/engine.h"
#include "stowage/base/optional.h"
#include "stowage/base/random.h"
#include "stowage/base/span.h"
#include "stowage/base/statusor.h"
#include "stowage/dynamic/stack_table.h"
#include "stowage/micro/stack.h"
#include "stowage/tensor_size.h"

namespace stowage {
namespace {

constexpr size_t kHeaderBytes = 12;

void CorrectHash(std::vector<uint8_t>* table) {
  if (table->size() < kHeaderBytes) return;
  uint32_t hash = 2166136261U;
  for (size_t i = 0; i < table->size(); ++i) {
    if (i < 8 || i >= kHeaderBytes) hash = (hash ^ (*table)[i]) * 16777619U;
  }
  for (size_t i = 0; i < 4; ++i) {
    (*table)[8 + i] = static_cast<uint8_t>(hash >> (8 * i));
  }
}

// Returns the height of a stack, computed from the definition. Returns nullopt
// if a sum overflows.
optional<size_t> HeightOf(const StackTable& table,
                          const std::vector<size_t>& sizes,
                          std::vector<size_t>* offsets) {
  size_t height = 0;
  for (size_t i = 0; i < table.size(); ++i) {
    size_t begin = 0;
    for (const uint32_t below : table.Below(i)) {
      Check(below < i, "an edge leads down");
      begin = std::max(begin, (*offsets)[below] + sizes[below]);
    }
    const optional<size_t> offset = CheckedAlignUp(begin, table.alignment);
    const optional<size_t> end =
        offset ? CheckedAdd(*offset, sizes[i]) : nullopt;
    if (!end) return nullopt;
    (*offsets)[i] = *offset;
    height = std::max(height, *end);
  }
  return height;
}

void CheckTable(const std::vector<uint8_t>& table, uint8_t kind) {
  stowage_micro_stack stack = {};
  const stowage_micro_status status =
      stowage_micro_stack_check(table.data(), table.size(), &stack);
  const StatusOr<StackTable> read = DecodeStack(MakeConstSpan(table));
  Check((status == STOWAGE_MICRO_OK) == read.ok(),
        "both readers accept a table, or neither");
  if (!read.ok()) return;
  Check(stack.records == read->size() && stack.alignment == read->alignment,
        "both readers read the same header");
  Random random(kind);
  std::vector<size_t> sizes(stack.records);
  for (size_t& size : sizes) size = random.Next() >> (kind % 64);
  std::vector<size_t> offsets(stack.records);
  std::vector<size_t> expected(stack.records);
  size_t total = 7;
  const bool fits =
      stowage_micro_stack_place(&stack, sizes.data(), offsets.data(), &total) ==
      STOWAGE_MICRO_OK;
  const optional<size_t> height = HeightOf(*read, sizes, &expected);
  Check(fits == height.has_value(), "sums that are too large are errors");
  Check(total == height.value_or(7), "the total is the height");
  Check(!fits || offsets == expected, "offsets are the lowest");
}

}  // namespace
}  // namespace stowage

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  std::vector<uint8_t> table(data + 1, data + size);
  if (data[0] < 224) stowage::CorrectHash(&table);
  stowage::CheckTable(table, data[0]);
  return 0;
}
