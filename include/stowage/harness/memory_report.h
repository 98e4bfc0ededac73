// SPDX-License-Identifier: Apache-2.0
// Reports the memory that a subgraph uses: arenas, operators, peak. For the
// time that operators take, see recorder.h.
//
//   std::cout << MemoryReportOf(interpreter->primary()).Text();
//
// Numbers are the bytes of the current plan. Create the report after Allocate,
// or after Invoke if the model computes shapes while it runs.
#ifndef STOWAGE_HARNESS_MEMORY_REPORT_H_
#define STOWAGE_HARNESS_MEMORY_REPORT_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/types/optional.h"
#include "stowage/harness/interpreter.h"

namespace stowage::harness {

// The use of an arena, in bytes. For every safe plan, requested <= aligned <=
// used.
struct ArenaUse {
  size_t requested = 0;  // the sizes of the tensors that are live at one task
  // The sum of the same sizes, each rounded up to a multiple of the alignment.
  // The largest padding that results from rounding is not counted, because the
  // last tensor of an arena needs no padding.
  size_t aligned = 0;
  size_t used = 0;  // bytes that the plan takes

  size_t alignment_bytes() const { return aligned - requested; }
  // Returns the number of bytes that the plan uses beyond the aligned sizes, or
  // 0 if an unsafe plan uses fewer bytes than these sizes.
  size_t fragmentation_bytes() const {
    return used > aligned ? used - aligned : 0;
  }
};

// A tensor that is live at the peak.
struct LiveTensor {
  size_t tensor = 0;
  std::string place;  // is `tensor 3 "conv1"`, for example
  size_t bytes = 0;
  size_t offset = 0;      // the offset in the arena
  size_t first_task = 0;  // inclusive
  // The last task at which the tensor is live, inclusive. Nullopt if the tensor
  // is never freed.
  absl::optional<size_t> last_task;
  bool is_temporary = false;
};

// The memory that a subgraph uses, in bytes.
struct MemoryReport {
  std::string strategy;  // the strategy that made the plan
  size_t alignment = 0;
  // The use of the arena at the peak operator. Counts only tensors in the
  // arena.
  ArenaUse arena;
  ArenaUse persistent;  // counts all tensors at once
  // Used if subgraphs that call each other share the arena. `copied` is the
  // number of bytes that one pass over all operators copies between these
  // subgraphs, and `possible_copies` is the number of bytes that the pass would
  // copy if no copy were avoided. The tasks in `peak` are then points of the
  // program (program_plan.h).
  size_t copied = 0;
  size_t possible_copies = 0;
  size_t operator_data = 0;
  size_t metadata = 0;   // the bytes of the descriptions of tensors
  size_t dynamic = 0;    // the bytes of tensors that have separate memory now
  size_t constants = 0;  // the bytes of constants in the model
  // The applied delegates, with the memory inside and outside of the arena that
  // they report.
  std::vector<AppliedDelegate> delegates;
  // The first operator at which the most bytes are live. Nullopt if there are
  // no operators or no arena.
  absl::optional<size_t> peak_node;
  std::string peak_operator;  // is "operator 3 (CONV_2D)", for example
  // The tensors that are live at peak_operator, the largest first.
  std::vector<LiveTensor> peak;
  std::vector<size_t> live_bytes;  // the requested bytes at each operator

  // Returns the sum of the arenas, operator data, metadata, dynamic tensors,
  // and the memory of delegates outside of the arena.
  size_t Total() const;
  std::string Text() const;  // returns several lines
};

// Returns the report of a subgraph. O(tensors * operators).
MemoryReport MemoryReportOf(const Subgraph& subgraph);

}  // namespace stowage::harness

#endif  // STOWAGE_HARNESS_MEMORY_REPORT_H_
