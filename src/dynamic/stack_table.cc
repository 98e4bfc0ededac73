// SPDX-License-Identifier: Apache-2.0
#include "stowage/dynamic/stack_table.h"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "src/base/str_cat.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/dynamic/stack_plan.h"

namespace stowage {
namespace {

constexpr uint8_t kTableVersion = 1;
constexpr size_t kRecordsAt = 4;
constexpr size_t kHashAt = 8;
constexpr size_t kHeaderBytes = 12;
// If a stored number of edges is kManyEdges, the true number is stored in the
// next four bytes.
constexpr uint8_t kManyEdges = 255;
constexpr uint32_t kLargestShortDelta = 0xFFFF;

uint32_t TableHash(Span<const uint8_t> table) {
  uint32_t hash = 2166136261U;
  for (size_t i = 0; i < table.size(); ++i) {
    if (i >= kHashAt && i < kHeaderBytes) continue;
    hash = (hash ^ table[i]) * 16777619U;
  }
  return hash;
}

void WriteWord(uint32_t word, size_t at, std::vector<uint8_t>* table) {
  for (size_t i = 0; i < 4; ++i) {
    (*table)[at + i] = static_cast<uint8_t>(word >> (8 * i));
  }
}

void AppendWord(uint32_t word, std::vector<uint8_t>* table) {
  table->resize(table->size() + 4);
  WriteWord(word, table->size() - 4, table);
}

// Appends the edges from the record at `position` to the records in `below`.
void AppendEdges(size_t position, Span<const uint32_t> below,
                 Span<const size_t> position_of, std::vector<uint8_t>* table) {
  if (below.size() < kManyEdges) {
    table->push_back(static_cast<uint8_t>(below.size()));
  } else {
    table->push_back(kManyEdges);
    AppendWord(static_cast<uint32_t>(below.size()), table);
  }
  for (const uint32_t to : below) {
    const auto delta = static_cast<uint32_t>(position - position_of[to]);
    const uint32_t short_delta = delta <= kLargestShortDelta ? delta : 0;
    table->push_back(static_cast<uint8_t>(short_delta));
    table->push_back(static_cast<uint8_t>(short_delta >> 8));
    if (short_delta == 0) AppendWord(delta, table);
  }
}

// Reads numbers from a table, from front to back. Past the end of the table,
// all numbers are read as 0.
class TableReader {
 public:
  explicit TableReader(Span<const uint8_t> table) : table_(table) {}

  uint32_t Read(size_t bytes) {
    if (table_.size() - at_ < bytes) {
      is_short_ = true;
      return 0;
    }
    uint32_t number = 0;
    for (size_t i = 0; i < bytes; ++i) {
      number |= static_cast<uint32_t>(table_[at_ + i]) << (8 * i);
    }
    at_ += bytes;
    return number;
  }

  // Reads a number of `bytes` bytes. If it equals `escape`, reads a number of
  // four bytes instead, which must be at least `least_long`.
  uint32_t ReadNumber(size_t bytes, uint32_t escape, uint32_t least_long) {
    const uint32_t number = Read(bytes);
    if (is_short_ || number != escape) return number;
    const uint32_t long_number = Read(4);
    if (!is_short_ && long_number < least_long) has_bad_form_ = true;
    return long_number;
  }

  size_t at() const { return at_; }
  bool is_short() const { return is_short_; }
  bool has_bad_form() const { return has_bad_form_; }

 private:
  Span<const uint8_t> table_;
  size_t at_ = 0;
  bool is_short_ = false;
  bool has_bad_form_ = false;
};

Status TableError(size_t byte, string_view message) {
  return InvalidArgumentError(
      StrCat("table of a stack: byte ", byte, ": ", message));
}

Status ReadError(const TableReader& in) {
  if (in.is_short()) {
    return TableError(in.at(), "the table ends; expected more bytes");
  }
  if (in.has_bad_form()) {
    return TableError(
        in.at() - 4,
        "a small number in the long form; expected the short form");
  }
  return OkStatus();
}

// Reads the edges of the record at the next position.
Status ReadEdges(TableReader* in, StackTable* stack) {
  const size_t position = stack->ends.size();
  uint32_t edges = in->ReadNumber(1, kManyEdges, kManyEdges);
  for (; edges > 0; --edges) {
    const uint32_t delta = in->ReadNumber(2, 0, kLargestShortDelta + 1);
    if (Status s = ReadError(*in); !s.ok()) return s;
    if (delta > position) {
      return TableError(in->at(),
                        StrCat("an edge of record ", position, " that leads ",
                               delta, " records down; expected fewer"));
    }
    stack->below.push_back(static_cast<uint32_t>(position - delta));
  }
  stack->ends.push_back(stack->below.size());
  return ReadError(*in);
}

}  // namespace

StatusOr<std::vector<uint8_t>> EncodeStack(const StackPlan& plan) {
  if (plan.has_groups()) {
    return UnimplementedError(
        "groups or fixed offsets; expected none, since a table for devices "
        "stacks single records");
  }
  size_t alignment = 1;
  if (plan.size() > 0) alignment = plan.alignment(0);
  for (size_t i = 0; i < plan.size(); ++i) {
    if (plan.alignment(i) == alignment) continue;
    return UnimplementedError(StrCat(
        "record ", i, ": its alignment is ", plan.alignment(i),
        " and that of record 0 is ", alignment,
        "; expected equal alignments, since a table for devices has one"));
  }
  std::vector<uint8_t> table(kHeaderBytes);
  table[0] = 'S';
  table[1] = 'T';
  table[2] = kTableVersion;
  while (alignment >> table[3] > 1) ++table[3];
  WriteWord(static_cast<uint32_t>(plan.size()), kRecordsAt, &table);
  table.reserve(kHeaderBytes + plan.size() + 2 * plan.edges());
  std::vector<size_t> position_of(plan.size());
  for (size_t i = 0; i < plan.size(); ++i) {
    position_of[plan.order()[i]] = i;
    AppendEdges(i, plan.Below(i), position_of, &table);
  }
  WriteWord(TableHash(MakeConstSpan(table)), kHashAt, &table);
  return table;
}

StatusOr<StackTable> DecodeStack(Span<const uint8_t> table) {
  TableReader in(table);
  const uint32_t start = in.Read(3);
  const uint32_t log2_alignment = in.Read(1);
  const uint32_t records = in.Read(4);
  const uint32_t hash = in.Read(4);
  if (in.is_short()) return ReadError(in);
  if (start != ('S' | 'T' << 8 | kTableVersion << 16)) {
    return TableError(0, "expected 'S', 'T' and the version, 1");
  }
  StackTable stack;
  while (stack.size() < records) {
    if (Status s = ReadEdges(&in, &stack); !s.ok()) return s;
  }
  if (in.at() < table.size()) {
    return TableError(in.at(), "expected the end of the table");
  }
  if (TableHash(table) != hash) {
    return TableError(kHashAt, "the hash differs; expected an intact table");
  }
  if (log2_alignment >= 64) {
    return TableError(3, "expected the log2 of an alignment, at most 63");
  }
  stack.alignment = size_t{1} << log2_alignment;
  return stack;
}

}  // namespace stowage
