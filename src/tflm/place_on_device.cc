// SPDX-License-Identifier: Apache-2.0
#include "src/tflm/place_on_device.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/tflm/micro_tasks.h"
#include "stowage/assignment.h"
#include "stowage/model/renumber_solution.h"
#include "stowage/planner.h"
#include "stowage/problem.h"
#include "stowage/solution.h"
#include "stowage/strategy.h"
#include "stowage/tflite/model.h"
#include "stowage/tflm/micro_trace.h"
#include "stowage/tflm/offline_check.h"
#include "stowage/usage_record.h"

namespace stowage {
namespace {

using Record = TensorUsageRecord<size_t>;

// A range of bytes and an interval of tasks. Throughout the interval, each of
// the bytes is occupied by some live buffer with a given offset.
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

// Cuts every block at each byte at which any block begins or ends. Returns the
// pieces, sorted by offset and first task.
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

// Returns blocks that do not overlap and that cover the same bytes at the same
// tasks as `whole`.
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

// A planning problem. Its first records are blocks, which represent the buffers
// that have given offsets and share bytes. The records after the blocks
// represent the other buffers.
struct HeadProblem {
  std::vector<Block> blocks;
  // Maps each buffer to its record. A buffer without a record keeps its offset.
  RecordMap map;
  absl::StatusOr<Problem> problem;
};

// Returns whether a buffer has a record of its own rather than being part of a
// block.
bool IsRecord(const OfflineBuffer& buffer) {
  return !buffer.given || !buffer.shares_bytes;
}

// Makes the problem. `lives` has one entry for each buffer: the lives of the
// buffer if it has a given offset and shares bytes, and an empty list
// otherwise.
HeadProblem MakeProblem(absl::Span<const OfflineBuffer> buffers,
                        absl::Span<const std::vector<MicroLife>> lives) {
  std::vector<Block> sharing;
  RecordMap map = {std::vector<uint32_t>(buffers.size(), RecordMap::kNone),
                   std::vector<size_t>(buffers.size())};
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (IsRecord(buffers[i])) continue;
    map.at[i] = buffers[i].offset;
    for (const MicroLife& life : lives[i]) {
      sharing.push_back(BlockOf(buffers[i]));
      sharing.back().record.first_task = life.first;
      sharing.back().record.last_task = life.last;
    }
  }
  std::vector<Block> blocks = Disjoint(sharing);
  ProblemSpec spec;
  spec.alignment = kMicroAlignment;
  for (const Block& block : blocks) {
    spec.records.push_back(block.record);
    spec.fixed_offsets.emplace_back(block.offset);
  }
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (!IsRecord(buffers[i])) continue;
    map.record_of[i] = static_cast<uint32_t>(spec.records.size());
    spec.records.push_back(buffers[i].buffer.record);
    spec.fixed_offsets.emplace_back();
    if (buffers[i].given) spec.fixed_offsets.back() = buffers[i].offset;
  }
  return {std::move(blocks), std::move(map), Problem::Create(std::move(spec))};
}

absl::StatusOr<Solution> SolveAround(
    absl::Span<const OfflineBuffer> buffers,
    absl::Span<const std::vector<MicroLife>> lives, absl::string_view strategy,
    const SolveOptions& options) {
  const HeadProblem head = MakeProblem(buffers, lives);
  if (!head.problem.ok()) return head.problem.status();
  absl::StatusOr<Solution> solution = Solve(*head.problem, strategy, options);
  if (!solution.ok()) return solution;
  if (!solution->has_plan()) {
    return absl::FailedPreconditionError(solution->reason);
  }
  if (head.blocks.empty()) return solution;
  return Renumbered(*std::move(solution), head.map);
}

// Returns the lives of each buffer, as recorded in the usage record of the
// buffer.
std::vector<std::vector<MicroLife>> RecordedLives(
    absl::Span<const OfflineBuffer> buffers) {
  std::vector<std::vector<MicroLife>> lives;
  for (const OfflineBuffer& buffer : buffers) {
    const TensorUsageRecord<size_t>& record = buffer.buffer.record;
    lives.push_back({{record.first_task, record.last_task}});
  }
  return lives;
}

}  // namespace

absl::Status PlaceOnDevice(std::vector<OfflineBuffer>* buffers) {
  const absl::StatusOr<Solution> solution =
      SolveAround(*buffers, RecordedLives(*buffers), kMicroStrategy, {});
  if (!solution.ok()) return solution.status();
  for (size_t i = 0; i < buffers->size(); ++i) {
    (*buffers)[i].offset = solution->offsets()->offsets[i];
  }
  return absl::OkStatus();
}

absl::StatusOr<Solution> SolveHead(const Model& model,
                                   absl::Span<const OfflineBuffer> buffers,
                                   absl::string_view strategy,
                                   const SolveOptions& options) {
  const absl::StatusOr<std::vector<std::vector<size_t>>> tasks =
      MicroTasksOf(model);
  if (!tasks.ok()) return tasks.status();
  std::vector<std::vector<MicroLife>> lives = RecordedLives(buffers);
  // A scratch tensor is live only during the operators that use it as working
  // memory. Because the first subgraph runs only once, all tasks of its
  // operators are known.
  const SubgraphSpec& graph = model.subgraphs()[0];
  for (size_t i = 0; i < buffers.size(); ++i) {
    const MicroBuffer& buffer = buffers[i].buffer;
    if (!buffers[i].shares_bytes || buffer.subgraph != 0 ||
        buffer.tensor == kAbsent || !graph.tensors[buffer.tensor].is_scratch) {
      continue;
    }
    lives[i].clear();
    for (size_t op = 0; op < graph.operators.size(); ++op) {
      if (!absl::c_linear_search(graph.operators[op].inputs, buffer.tensor)) {
        continue;
      }
      lives[i].push_back({(*tasks)[0][op], (*tasks)[0][op]});
    }
  }
  return SolveAround(buffers, lives, strategy, options);
}

}  // namespace stowage
