// SPDX-License-Identifier: Apache-2.0
#include "src/tflite/place_on_device.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "stowage/assignment.h"
#include "stowage/planner.h"
#include "stowage/problem.h"
#include "stowage/solution.h"
#include "stowage/tflite/micro_trace.h"
#include "stowage/tflite/offline_check.h"
#include "stowage/usage_record.h"

namespace stowage {
namespace {

// Upstream's planner, whose first fit asks only which bytes are taken while a
// tensor is live, not by how many.
constexpr char kDevicePlanner[] = "micro_first_fit";

using Record = TensorUsageRecord<size_t>;

// Bytes that are taken while at least one given buffer is live there.
struct Block {
  Record record;
  size_t offset = 0;
};

Block BlockOf(const OfflineBuffer& buffer) {
  return {buffer.buffer.record, buffer.offset};
}

size_t End(const Block& block) {
  return block.offset + block.record.tensor_size;
}

// Each cut where others begin or end: the pieces, by offset and first task.
std::vector<Block> Cut(const std::vector<Block>& whole) {
  std::vector<size_t> cuts;
  for (const Block& block : whole) {
    cuts.push_back(block.offset);
    cuts.push_back(End(block));
  }
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  std::vector<Block> pieces;
  for (const Block& block : whole) {
    for (auto cut = std::lower_bound(cuts.begin(), cuts.end(), block.offset);
         *cut < End(block); ++cut) {
      Block piece = block;
      piece.offset = *cut;
      piece.record.tensor_size = *std::next(cut) - *cut;
      pieces.push_back(piece);
    }
  }
  std::sort(pieces.begin(), pieces.end(), [](const Block& a, const Block& b) {
    if (a.offset != b.offset) return a.offset < b.offset;
    return a.record.first_task < b.record.first_task;
  });
  return pieces;
}

// Blocks of the same bytes in all, none of which overlap.
std::vector<Block> Disjoint(const std::vector<Block>& whole) {
  std::vector<Block> blocks;
  for (const Block& piece : Cut(whole)) {
    if (!blocks.empty() && blocks.back().offset == piece.offset &&
        piece.record.first_task <= blocks.back().record.last_task) {
      blocks.back().record.last_task =
          std::max(blocks.back().record.last_task, piece.record.last_task);
    } else {
      blocks.push_back(piece);
    }
  }
  return blocks;
}

}  // namespace

absl::Status PlaceOnDevice(absl::Span<const OfflineViolation> overlaps,
                           std::vector<OfflineBuffer>* buffers) {
  std::vector<bool> overlap(buffers->size());
  for (const OfflineViolation& pair : overlaps) {
    overlap[pair.first] = overlap[pair.second] = true;
  }
  std::vector<Block> given;
  std::vector<Block> overlapping;
  for (size_t i = 0; i < buffers->size(); ++i) {
    if (!(*buffers)[i].given) continue;
    (overlap[i] ? overlapping : given).push_back(BlockOf((*buffers)[i]));
  }
  const std::vector<Block> disjoint = Disjoint(overlapping);
  given.insert(given.end(), disjoint.begin(), disjoint.end());
  ProblemSpec spec;
  spec.alignment = kMicroAlignment;
  for (const Block& block : given) {
    spec.records.push_back(block.record);
    spec.fixed_offsets.emplace_back(block.offset);
  }
  const size_t blocks = spec.records.size();
  for (const OfflineBuffer& buffer : *buffers) {
    if (buffer.given) continue;
    spec.records.push_back(buffer.buffer.record);
    spec.fixed_offsets.emplace_back();
  }
  const absl::StatusOr<Problem> problem = Problem::Create(std::move(spec));
  if (!problem.ok()) return problem.status();
  const absl::StatusOr<Solution> solution = Solve(*problem, kDevicePlanner);
  if (!solution.ok()) return solution.status();
  if (!solution->offsets().ok()) return solution->offsets().status();
  size_t next = blocks;
  for (OfflineBuffer& buffer : *buffers) {
    if (!buffer.given) buffer.offset = solution->offsets()->offsets[next++];
  }
  return absl::OkStatus();
}

}  // namespace stowage
