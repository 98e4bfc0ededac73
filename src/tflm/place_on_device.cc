// SPDX-License-Identifier: Apache-2.0
#include "src/tflm/place_on_device.h"

#include <algorithm>
#include <cstddef>
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

// A range of bytes and an interval of tasks, at which at least one buffer with
// a given offset has these bytes and is live.
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

// Cuts all blocks into pieces, at every byte at which some block begins or
// ends. Returns the pieces sorted by offset and first task.
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

// Returns blocks that cover the same bytes at the same tasks as `whole` but do
// not overlap.
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

// A planning problem. Its first records are blocks, which stand for the buffers
// with given offsets that share bytes. The records after them are the other
// buffers.
struct HeadProblem {
  std::vector<Block> blocks;
  std::vector<size_t> buffers;  // the buffers of the records after the blocks
  absl::StatusOr<Problem> problem;
};

// Makes the problem. For each buffer, `lives` has its lives if it has a given
// offset and shares bytes, and is empty otherwise.
HeadProblem MakeProblem(absl::Span<const OfflineBuffer> buffers,
                        absl::Span<const std::vector<MicroLife>> lives) {
  std::vector<Block> sharing;
  std::vector<size_t> others;
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (!buffers[i].given || !buffers[i].shares_bytes) {
      others.push_back(i);
      continue;
    }
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
  for (const size_t i : others) {
    spec.records.push_back(buffers[i].buffer.record);
    spec.fixed_offsets.emplace_back();
    if (buffers[i].given) spec.fixed_offsets.back() = buffers[i].offset;
  }
  return {std::move(blocks), std::move(others),
          Problem::Create(std::move(spec))};
}

// Converts a solution for records into one for buffers: each buffer gets an
// offset, and the offsets of blocks are left out. Proofs are left out as well,
// since they are about the records.
Solution WithoutBlocks(absl::Span<const OfflineBuffer> buffers,
                       const HeadProblem& head, const Solution& solution) {
  OffsetsAssignment plan;
  plan.total_size = solution.offsets()->total_size;
  for (const OfflineBuffer& buffer : buffers) {
    plan.offsets.push_back(buffer.offset);
  }
  for (size_t k = 0; k < head.buffers.size(); ++k) {
    plan.offsets[head.buffers[k]] =
        solution.offsets()->offsets[head.blocks.size() + k];
  }
  Solution result(std::move(plan));
  result.status = solution.status;
  result.reason = solution.reason;
  result.found_by = solution.found_by;
  result.bound_proved_by = solution.bound_proved_by;
  result.total_size = solution.total_size;
  result.lower_bound = solution.lower_bound;
  result.bound_is_searched = solution.bound_is_searched;
  result.nodes = solution.nodes;
  result.time = solution.time;
  return result;
}

absl::StatusOr<Solution> SolveAround(
    absl::Span<const OfflineBuffer> buffers,
    absl::Span<const std::vector<MicroLife>> lives, absl::string_view strategy,
    const SolveOptions& options) {
  const HeadProblem head = MakeProblem(buffers, lives);
  if (!head.problem.ok()) return head.problem.status();
  absl::StatusOr<Solution> solution = Solve(*head.problem, strategy, options);
  if (!solution.ok() || !solution->has_plan() || head.blocks.empty()) {
    return solution;
  }
  if (!solution->offsets().ok()) return solution->offsets().status();
  return WithoutBlocks(buffers, head, *solution);
}

// Returns for each buffer when it is live according to its record.
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
  if (!solution->offsets().ok()) return solution->offsets().status();
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
  // The first subgraph runs only once.
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
