// SPDX-License-Identifier: Apache-2.0
#include "src/tflite/control_edges.h"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "stowage/tflite/model.h"

namespace stowage {
namespace {

constexpr uint32_t kEdgesVersion = 1;
constexpr int kGroupBits = 7;

// Reads numbers from the beginning of `data`. Next() returns nullopt if no
// bytes are left, and for a number that does not fit in 32 bits.
class NumberReader {
 public:
  explicit NumberReader(absl::Span<const uint8_t> data) : data_(data) {}

  bool is_at_end() const { return next_ == data_.size(); }

  absl::optional<uint32_t> Next() {
    uint64_t value = 0;
    for (int shift = 0; next_ < data_.size() && shift < 32;
         shift += kGroupBits) {
      const uint8_t group = data_[next_++];
      value |= static_cast<uint64_t>(group & 0x7F) << shift;
      if ((group & 0x80) != 0) continue;
      if (value > UINT32_MAX) return absl::nullopt;
      return static_cast<uint32_t>(value);
    }
    return absl::nullopt;
  }

  // Returns the next number as the index of a node. The lowest bit of the
  // number is its sign. Returns nullopt if the number is negative.
  absl::optional<size_t> NextNode() {
    const absl::optional<uint32_t> number = Next();
    if (!number || *number % 2 != 0) return absl::nullopt;
    return *number / 2;
  }

 private:
  absl::Span<const uint8_t> data_;
  size_t next_ = 0;
};

absl::Status NotEdges() {
  return absl::InvalidArgumentError(
      "not control edges; expected a version, and for each subgraph the "
      "number of its edges and their ends");
}

}  // namespace

absl::StatusOr<std::vector<std::vector<ControlEdge>>> ParseControlEdges(
    absl::Span<const uint8_t> data) {
  NumberReader reader(data);
  const absl::optional<uint32_t> version = reader.Next();
  if (version && *version != kEdgesVersion) {
    return absl::InvalidArgumentError(
        absl::StrCat("control edges of version ", *version,
                     "; expected version ", kEdgesVersion));
  }
  const absl::optional<uint32_t> graphs = reader.Next();
  // Each subgraph needs at least one byte, so the data are invalid if there are
  // more subgraphs than bytes.
  if (!version || !graphs || *graphs > data.size()) return NotEdges();
  std::vector<std::vector<ControlEdge>> result(*graphs);
  for (std::vector<ControlEdge>& edges : result) {
    const absl::optional<uint32_t> count = reader.Next();
    if (!count || *count > data.size()) return NotEdges();
    for (uint32_t i = 0; i < *count; ++i) {
      const absl::optional<size_t> before = reader.NextNode();
      const absl::optional<size_t> after = reader.NextNode();
      if (!before || !after) return NotEdges();
      edges.push_back({*before, *after});
    }
  }
  if (!reader.is_at_end()) return NotEdges();
  return result;
}

}  // namespace stowage
