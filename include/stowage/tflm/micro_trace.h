// SPDX-License-Identifier: Apache-2.0
// The usage records of a model under the rules `micro`: what the planner of
// TensorFlow Lite Micro is given. For the rules `plain` see model_trace.h; for
// what the whole arena of a device must hold, micro_arena.h.
//
//   absl::StatusOr<ModelTrace> trace = ReadMicroModelTrace("net.tflite");
//
// The rules are those of upstream's commit kMicroCommit with its reference
// kernels (docs/arena.md). They plan the whole model at once: a subgraph that
// IF, WHILE or CALL_ONCE calls runs within its operator. Task 0 is before the
// first operator; then each operator is a task, and each call of a subgraph
// adds one for its beginning.
//
// An input is live from the beginning of its subgraph to its last use, an
// output from its operator to the end of its subgraph, any other tensor from
// its operator to its last use, scratch memory during its operator, subgraphs
// included. Nothing shares memory in place. What no operator reads or writes is
// planned all the same: live at a last task of its own. Sizes are rounded up to
// kMicroAlignment; a tensor of no bytes, a constant, a handle and a variable
// have no record.
#ifndef STOWAGE_TFLM_MICRO_TRACE_H_
#define STOWAGE_TFLM_MICRO_TRACE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "stowage/tflite/model.h"
#include "stowage/tflite/model_trace.h"
#include "stowage/trace.h"
#include "stowage/usage_record.h"

namespace stowage {

// The commit of TensorFlow Lite Micro that predictions are made for.
inline constexpr char kMicroCommit[] = "90b983c2";

// The strategy whose plans are those of its planner.
inline constexpr char kMicroStrategy[] = "micro_first_fit";

// Bytes: the alignment of every buffer of TensorFlow Lite Micro.
inline constexpr size_t kMicroAlignment = 16;

// How many bytes a pointer of the device has: the sizes of what is allocated
// beside tensors depend on it.
enum class MicroWord { k32 = 4, k64 = 8 };

// Tasks [first, last], both inclusive.
struct MicroLife {
  size_t first = 0;
  size_t last = 0;
};

// A buffer in the head of the arena.
struct MicroBuffer {
  size_t subgraph = 0;
  size_t tensor = kAbsent;  // of the subgraph; absent for scratch memory
  size_t op = kAbsent;      // of scratch memory: the operator that asks for it
  TensorUsageRecord<size_t> record;  // the size is rounded up
  // When it is live in earlier runs of its subgraph, where several operators
  // call that: upstream forgets all but the last run, and may then put two live
  // tensors at one place. The first of many are joined.
  std::vector<MicroLife> earlier;
};

// The buffers in the order in which upstream's planner gets them, on which its
// ties depend: tensors of all subgraphs, then scratch memory. `offsets` are
// those of a plan in the model (offline_plan.h) or none: a variable with an
// offset is in the head too, live from the beginning to its last use, as
// upstream has it, though it must keep its state between invocations. Errors:
// InvalidArgument if there are offsets, but not one for each tensor; naming the
// tensor, for a type whose size the device does not know; naming subgraph and
// operator, for numbers of inputs or outputs that the device refuses, a call of
// a subgraph that does not exist or is running, for calls 64 deep, for sizes
// that overflow 64 bits, and for more than 2^24 tasks.
absl::StatusOr<std::vector<MicroBuffer>> MicroBuffersOf(
    const Model& model, MicroWord word = MicroWord::k64,
    absl::Span<const int32_t> offsets = {});

// The record of a buffer that has one place in all runs of its subgraph: live
// from the first to the last.
TensorUsageRecord<size_t> JoinLives(const MicroBuffer& buffer);

// Returns whether a buffer is an input or output of the first subgraph: what
// IoLifetime::kKeep holds.
bool IsInputOrOutput(const Model& model, const MicroBuffer& buffer);

// Has the inputs and outputs of the first subgraph live at every task, from
// before the first operator to the last. Devices do not: their planner takes
// an input for free after its last use, so that only offsets from the host
// hold it.
void HoldInputsAndOutputs(const Model& model,
                          std::vector<MicroBuffer>* buffers);

// The trace of all subgraphs. Ids of tensors count through the subgraphs, as in
// the metadata of offline plans; ids beyond the last tensor are scratch memory.
// Only three of the `options` have an effect: tensor_alignment, io_lifetime and
// honour_offline_plan. Errors: those of MicroBuffersOf; InvalidArgument if a
// subgraph other than the first is asked for.
absl::StatusOr<ModelTrace> MicroTraceOf(const Model& model,
                                        const ModelTraceOptions& options = {});

// Parses a model, and makes its trace. Errors: those of ParseModelStructure and
// MicroTraceOf.
absl::StatusOr<ModelTrace> ParseMicroTrace(
    absl::string_view model, absl::string_view name,
    const ModelTraceOptions& options = {});

// As ReadModelTrace and ReadTrace (model_trace.h), with ParseMicroTrace for
// models.
absl::StatusOr<ModelTrace> ReadMicroModelTrace(
    const std::string& path, const ModelTraceOptions& options = {});
absl::StatusOr<Trace> ReadMicroTrace(const std::string& path,
                                     const TraceOptions& csv = {},
                                     const ModelTraceOptions& model = {});

}  // namespace stowage

#endif  // STOWAGE_TFLM_MICRO_TRACE_H_
