// SPDX-License-Identifier: Apache-2.0
#include "src/harness/kernels/copy_at_once.h"

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "absl/types/span.h"
#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"

namespace stowage::harness {
namespace {

struct CopyRow {
  size_t to;
  size_t from;
  size_t bytes;
};

std::vector<uint8_t> Numbered(size_t count) {
  std::vector<uint8_t> bytes(count);
  std::iota(bytes.begin(), bytes.end(), uint8_t{1});
  return bytes;
}

// Performs all copies within one block of memory, and returns that memory. If
// `reads_first` is true, the result is instead computed by reading all sources
// before writing anything.
std::vector<uint8_t> Copied(const std::vector<CopyRow>& rows, bool reads_first,
                            absl::Span<uint8_t> scratch = {}) {
  std::vector<uint8_t> memory = Numbered(64);
  const std::vector<uint8_t> before = memory;
  std::vector<ByteCopy> copies;
  for (const CopyRow& row : rows) {
    if (reads_first) {
      for (size_t i = 0; i < row.bytes; ++i) {
        memory[row.to + i] = before[row.from + i];
      }
    } else {
      copies.push_back(
          {memory.data() + row.to, memory.data() + row.from, row.bytes});
    }
  }
  CopyAtOnce(copies, scratch);
  return memory;
}

TEST(CopyAtOnce, UsesScratchMemoryForCyclesAlone) {
  const struct {
    const char* name;
    std::vector<CopyRow> rows;
    size_t scratch;  // the bytes of the scratch memory that are written
  } cases[] = {
      {"nothing", {}, 0},
      {"to the same place", {{8, 8, 8}}, 0},
      {"a chain", {{8, 0, 8}, {16, 8, 8}}, 0},
      {"a chain in the other order", {{16, 8, 8}, {8, 0, 8}}, 0},
      {"a partial overlap", {{4, 0, 8}}, 0},
      {"a swap", {{0, 8, 8}, {8, 0, 8}}, 8},
      {"a cycle of three", {{0, 8, 4}, {8, 16, 4}, {16, 0, 4}}, 4},
      {"one source twice", {{0, 8, 8}, {8, 0, 8}, {24, 0, 8}}, 8},
      {"two swaps", {{0, 8, 8}, {8, 0, 8}, {32, 40, 4}, {40, 32, 4}}, 8},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const std::vector<uint8_t> expected = Copied(c.rows, true);
    std::vector<uint8_t> scratch(32, 0xEE);
    EXPECT_EQ(Copied(c.rows, false, absl::MakeSpan(scratch)), expected);
    size_t used = 0;
    while (used < scratch.size() && scratch[used] != 0xEE) ++used;
    EXPECT_EQ(used, c.scratch);
    // If the scratch memory is too small, other memory is used.
    EXPECT_EQ(Copied(c.rows, false, absl::MakeSpan(scratch).subspan(0, 3)),
              expected);
    EXPECT_EQ(Copied(c.rows, false), expected);
  }
}

RC_GTEST_PROP(CopyAtOnce, ReadsAllBeforeItWrites, ()) {
  std::vector<CopyRow> rows;
  size_t to = 0;
  while (to < 48) {
    const auto bytes = *rc::gen::inRange<size_t>(1, 9);
    rows.push_back({to, *rc::gen::inRange<size_t>(0, 56), bytes});
    to += bytes + *rc::gen::inRange<size_t>(0, 4);
  }
  std::vector<uint8_t> scratch(*rc::gen::inRange<size_t>(0, 24));
  RC_ASSERT(Copied(rows, false, absl::MakeSpan(scratch)) == Copied(rows, true));
}

}  // namespace
}  // namespace stowage::harness
