// SPDX-License-Identifier: Apache-2.0
// Reads the usage records of a model under the rules `micro`: the records that
// the planner of TensorFlow Lite Micro receives. For the rules `plain`, use
// model_trace.h; for the size of the whole arena of a device, use
// micro_arena.h.
//
//   const auto model = Model::Read("net.tflite");
//   if (!model.ok()) return model.status();
//   absl::StatusOr<ModelTrace> trace = MicroTraceOf(**model);
//
// The rules are those of TensorFlow Lite Micro ("upstream") at commit
// kMicroCommit, with its reference kernels (docs/micro.md). All subgraphs of
// the model are planned together, because the operators IF, WHILE and CALL_ONCE
// call subgraphs, and a called subgraph runs within the calling operator. Task
// 0 precedes the first operator. Each operator is a task, and each call of a
// subgraph has an additional task at its beginning.
//
// An input is live from the beginning of its subgraph to its last use. An
// output is live from the operator that writes it to the end of its subgraph.
// Any other tensor is live from the operator that writes it to its last use.
// Scratch memory is live during its operator, and during the subgraphs that
// this operator calls. No output takes over the memory of an input. A tensor
// that no operator reads or writes also has a record, and is live at an extra
// task at the end. Sizes are rounded up to kMicroAlignment. Empty tensors,
// constants, handles and variables have no record.
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
#include "stowage/usage_record.h"

namespace stowage {

// The commit of TensorFlow Lite Micro to which predictions apply.
inline constexpr char kMicroCommit[] = "90b983c2";

// The strategy that makes the same plans as upstream's planner.
inline constexpr char kMicroStrategy[] = "micro_first_fit";

// The alignment of every buffer of TensorFlow Lite Micro, in bytes.
inline constexpr size_t kMicroAlignment = 16;

// The size of a pointer on the device, in bytes. The sizes of all allocations
// except tensors depend on it.
enum class MicroWord { k32 = 4, k64 = 8 };

// The tasks from `first` to `last`, both inclusive.
struct MicroLife {
  size_t first = 0;
  size_t last = 0;
};

// A buffer in the head of the arena.
struct MicroBuffer {
  size_t subgraph = 0;
  // The index of the tensor in the subgraph; kAbsent for scratch memory.
  size_t tensor = kAbsent;
  size_t op = kAbsent;  // for scratch memory, the operator that requests it
  TensorUsageRecord<size_t> record;  // the size is rounded up
  // The lifetimes of the buffer in all runs of its subgraph except the last;
  // `record` has the lifetime in the last run. A subgraph runs several times if
  // several operators call it. Upstream ignores the earlier runs, so it may put
  // two tensors at one place although both are live. If there would be too many
  // earlier lifetimes, the first ones are merged into one.
  std::vector<MicroLife> earlier;
};

// Returns the buffers in the order in which upstream's planner receives them:
// the tensors of all subgraphs, then scratch memory. The planner breaks ties by
// this order. `offsets` are the offsets of a plan in the model
// (offline_plan.h), or empty. Variables with an offset are also in the head. As
// in upstream, such a variable is live only from the beginning to its last use,
// although it must keep its state between invocations.
//
// Errors: InvalidArgument
//   - if there are offsets, but not one for each tensor;
//   - naming the tensor, if the device does not know the size of its type;
//   - naming the subgraph and the operator, if the device refuses the number of
//     inputs or outputs, if the called subgraph does not exist or is already
//     running, if calls are nested 64 deep, if sizes overflow 64 bits, or if
//     there are more than 2^24 tasks.
absl::StatusOr<std::vector<MicroBuffer>> MicroBuffersOf(
    const Model& model, MicroWord word = MicroWord::k64,
    absl::Span<const int32_t> offsets = {});

// Returns one record for all runs of the buffer's subgraph. The record is live
// from the first run to the last, so the buffer keeps one place during all
// runs.
TensorUsageRecord<size_t> JoinLives(const MicroBuffer& buffer);

// Returns whether a buffer is an input or output of the first subgraph. Under
// IoLifetime::kKeep, these buffers are live for the whole run.
bool IsInputOrOutput(const Model& model, const MicroBuffer& buffer);

// Makes the inputs and outputs of the first subgraph live at every task,
// including task 0, which precedes the first operator. A plan that is made on
// the device does not do this: it reuses the memory of an input after the last
// use of the input. To protect that memory, the offsets must come from a plan
// that was made on the host.
void HoldInputsAndOutputs(const Model& model,
                          std::vector<MicroBuffer>* buffers);

// Returns the trace of all subgraphs. The tensors of all subgraphs are numbered
// consecutively, as in the metadata of offline plans; ids beyond the last
// tensor are scratch memory. Of the options, only tensor_alignment, io_lifetime
// and honour_offline_plan are used. Errors: those of HeadBuffers
// (offline_check.h); InvalidArgument if options.subgraph or options.streams is
// not 0, or if tensor_alignment is not a power of two.
absl::StatusOr<ModelTrace> MicroTraceOf(const Model& model,
                                        const ModelTraceOptions& options = {});

// Parses a model and returns its trace. Errors: those of ParseModelStructure
// and MicroTraceOf.
absl::StatusOr<ModelTrace> ParseMicroTrace(
    absl::string_view model, absl::string_view name,
    const ModelTraceOptions& options = {});

}  // namespace stowage

#endif  // STOWAGE_TFLM_MICRO_TRACE_H_
