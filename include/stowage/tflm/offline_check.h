// SPDX-License-Identifier: Apache-2.0
// Plans a model for TensorFlow Lite Micro on a host, and checks whether the
// plan in a model is sound. To read a plan from a model file or to write a plan
// into a model file, use offline_plan.h; to check a plan on the device, use
// micro/offline.h.
//
//   const auto verdict = CheckOfflinePlan(*model, plan);
//   if (verdict.ok() && verdict->is_sound()) Use(verdict->head_bytes);
//
// A device uses the offsets of the plan unchanged, and places all other buffers
// around them. These are the tensors with kPlacedOnDevice, and the scratch
// memory of operators, which never has an offset in a plan. Lifetimes follow
// the rules `micro` (micro_trace.h).
#ifndef STOWAGE_TFLM_OFFLINE_CHECK_H_
#define STOWAGE_TFLM_OFFLINE_CHECK_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "stowage/solution.h"
#include "stowage/strategy.h"
#include "stowage/tflite/lifetimes.h"
#include "stowage/tflite/model.h"
#include "stowage/tflm/micro_trace.h"
#include "stowage/tflm/offline_plan.h"

namespace stowage {

// The size of the largest memory region of a Cortex-M, in bytes (ARMv7-M
// Architecture Reference Manual, B3.1). No arena can be larger.
inline constexpr size_t kLargestArena = size_t{1} << 30;

// Options of CheckOfflinePlan. Compilers for accelerators, such as Vela,
// intentionally let tensors of their custom operators overlap. If only custom
// operators could notice an overlap, the verdict is "undecided", since the
// model does not state how custom operators use the bytes. A tensor that no
// operator writes and only custom operators read (TensorSpec::is_scratch) is
// live at each of these operators, but not between them.
struct OfflineCheckOptions {
  // The maximum size of the head, in bytes.
  size_t capacity = kLargestArena;
  // If true, an overlap of two tensors that the compiler of the model intends
  // is allowed instead of undecided. An overlap counts as intended if every
  // operator at which both tensors are live meets these conditions:
  //   - The operator is custom and has both tensors as operands.
  //   - At most one of the two tensors has data before the operator runs.
  //   - At most one of the two tensors is used after the operator has run, and
  //     this tensor is an output of the operator.
  bool allow_custom_overlap = false;
  // The pointer size of the device, which affects the size of some scratch
  // memory.
  MicroWord word = MicroWord::k64;
  // With kKeep, the inputs and outputs of the model are live at every task.
  IoLifetime io_lifetime = IoLifetime::kUse;
};

// A buffer in the head of the arena.
struct OfflineBuffer {
  MicroBuffer buffer;
  // True if the buffer keeps state from one invocation to the next and must
  // therefore always be live. Its record nevertheless has the shorter lifetime
  // that the device assumes.
  bool is_variable = false;
  // True if the buffer is an input or output that must be kept for the whole
  // run, which the device does not know.
  bool is_held = false;
  // The offset in the plan, in bytes, which may have any value; nullopt if the
  // plan has no offset for the buffer.
  absl::optional<int64_t> given;
  size_t offset = 0;  // is in bytes, and is set if the plan is not refuted
  // True if this buffer and another buffer, both with given offsets, share
  // bytes while both are live. Only custom operators can intend such an
  // overlap.
  bool shares_bytes = false;
};

// An error in a plan, or an overlap of two of its buffers.
struct OfflineViolation {
  enum class Kind {
    kNegative,          // the offset is below 0
    kMisaligned,        // the offset is not a multiple of kMicroAlignment
    kPastEnd,           // the buffer ends above the capacity
    kOverlappingBytes,  // two buffers that are live at one task share bytes
    kOverwrittenState,  // the device would place `second` on a variable
    // The buffer is a variable without an offset, and the device uses the
    // offset of another tensor for it, so the variable has no memory of its
    // own. This happens in subgraphs other than the first, because the device
    // looks up the wrong entry of the plan: it uses the index of the variable
    // in its subgraph as the number of the entry.
    kNoMemory,
  };
  Kind kind = Kind::kNegative;
  size_t first = 0;         // an index into OfflineVerdict::buffers
  size_t second = kAbsent;  // the index of the other buffer, if there are two
  // The bytes [begin, end) that the two buffers share, and the first task at
  // which both are live. Set only if there are two buffers.
  size_t begin = 0;
  size_t end = 0;
  TaskId task = 0;
};

// Returns "negative", "misaligned", "past_end", "overlapping_bytes",
// "overwritten_state" or "no_memory".
absl::string_view OfflineViolationName(OfflineViolation::Kind kind);

struct OfflineVerdict {
  // The buffers, in the order of MicroBuffersOf. If some variables have no
  // memory (kNoMemory), the list has only these variables, and nothing else has
  // been checked.
  std::vector<OfflineBuffer> buffers;
  // The violations, at most the first kMaxViolations. Empty if the plan is
  // sound or undecided.
  std::vector<OfflineViolation> violations;
  // Harmless overlaps: overlaps with scratch memory while no operator uses it,
  // and overlaps that options.allow_custom_overlap allows.
  std::vector<OfflineViolation> allowed;
  // Overlaps that may be harmful, depending on how custom operators use the
  // bytes.
  std::vector<OfflineViolation> undecided;
  // The size of the head in bytes, including all buffers that the device
  // places. Not set if there are violations.
  absl::optional<size_t> head_bytes;

  bool is_sound() const { return violations.empty() && undecided.empty(); }
  // Returns `allowed`, followed by `undecided`. If there are no violations,
  // these are all pairs of placed buffers that share bytes and are both live at
  // some task. A scratch tensor (TensorSpec::is_scratch) counts as live from
  // the beginning to its last use, as on the device.
  std::vector<OfflineViolation> overlaps() const;
};

// Returns "sound", "undecided" or "unsound".
absl::string_view OfflineVerdictName(const OfflineVerdict& verdict);

inline constexpr size_t kMaxViolations = 100;

// Checks a plan. For a model without a plan, `plan` is nullopt. Errors:
// InvalidArgument if the numbers of tensors and subgraphs of the plan differ
// from those of the model; those of MicroBuffersOf. O(n log n) for n buffers
// or, if some buffers share bytes, O(n c) if at most c buffers are live at the
// same time.
absl::StatusOr<OfflineVerdict> CheckOfflinePlan(
    const Model& model, const absl::optional<OfflinePlan>& plan,
    const OfflineCheckOptions& options = {});

// Returns the offsets that every plan of the model must keep, in one list for
// the tensors of all subgraphs. If the plan in the model has overlaps that only
// custom operators can intend, the custom operators rely on the offsets that
// their compiler chose. In this case, each tensor that a custom operator reads
// or writes must keep its offset in the plan. The entry of any other tensor is
// kPlacedOnDevice. Returns an empty list if no offset must be kept, for example
// if the model has no plan. Errors: those of MicroBuffersOf, and those of
// ReadOfflinePlan if the model has scratch memory of custom operators.
absl::StatusOr<std::vector<int32_t>> KeptOffsets(const Model& model);

// Returns the number of tensors that must keep their offsets.
size_t CountKept(absl::Span<const int32_t> kept_offsets);

// Returns "4 tensors of custom operators stay where the plan in the model has
// them", or an empty string for 0.
std::string DescribeKept(size_t tensors);

// Says which buffers HeadBuffers returns.
struct HeadOptions {
  // If true, the buffers have the offsets of the plan in the model.
  bool honour_offline_plan = false;
  // The pointer size of the device, which affects the size of some scratch
  // memory.
  MicroWord word = MicroWord::k64;
  // With kKeep, the inputs and outputs of the model are live for the whole run.
  IoLifetime io_lifetime = IoLifetime::kUse;
};

// Returns the buffers in the head of a model: those of MicroBuffersOf.
//
// If options.honour_offline_plan is true and the model contains a plan, the
// buffers have the offsets of this plan. Otherwise the buffers have the offsets
// of KeptOffsets. If there are offsets, the lifetimes of each buffer are joined
// (JoinLives), and a variable with an offset is live at all tasks. A plan that
// places the other buffers around these offsets is therefore sound. With
// IoLifetime::kKeep, inputs and outputs are live at every task
// (HoldInputsAndOutputs).
//
// Errors: those of MicroBuffersOf and KeptOffsets; if there are offsets, also
// those of ReadOfflinePlan and CheckOfflinePlan, and InvalidArgument if the
// offsets are unsound even when custom overlaps are allowed.
absl::StatusOr<std::vector<OfflineBuffer>> HeadBuffers(
    const Model& model, const HeadOptions& options = {});

// Plans the head of a model. Returns a solution with an offset for each buffer.
// A buffer with OfflineBuffer::given keeps this offset, even if the buffer
// shares bytes with another buffer. Errors: those of Problem::Create, Solve and
// MicroBuffersOf.
absl::StatusOr<Solution> SolveHead(const Model& model,
                                   absl::Span<const OfflineBuffer> buffers,
                                   absl::string_view strategy,
                                   const SolveOptions& options = {});

// Returns a description of a buffer for messages: `tensor 7 "conv1"` or
// `scratch memory of operator 3 (CONV_2D)`, with the subgraph if the model has
// several.
std::string OfflineBufferPlace(const Model& model, const OfflineBuffer& buffer);

// Returns a description of a violation of `verdict` in one line, with tensors,
// bytes and tasks.
std::string Describe(const Model& model, const OfflineVerdict& verdict,
                     const OfflineViolation& violation);

// Returns an InvalidArgument error for a model with a plan that has violations.
// The message describes the first violation.
absl::Status UnsoundPlanError(const Model& model,
                              const OfflineVerdict& verdict);

// A plan that PlanOffline has made.
struct OfflinePlanning {
  OfflinePlan plan;
  Solution solution;  // the solution for the whole head with scratch memory
  // The size of the head under the plan in bytes, computed by CheckOfflinePlan.
  size_t head_bytes = 0;
  // The number of tensors that keep an offset of KeptOffsets.
  size_t kept_tensors = 0;
};

// Plans the head of a model. If several operators call a subgraph, each tensor
// of the subgraph is live from the first run of the subgraph to the last.
//
// If `chosen` has a value, only two kinds of tensors get offsets: those in
// `chosen`, in which the tensors of all subgraphs are numbered consecutively,
// and those that must keep an offset (KeptOffsets). If `chosen` has no value,
// all tensors get offsets. In both cases, the following tensors get no offset
// unless they must keep one: variables, which are in the tail, as they are
// without a plan; and tensors with a plan entry that the device would wrongly
// use for a variable (kNoMemory).
//
// Scratch memory has the sizes for 64-bit pointers, which are never smaller
// than those for 32-bit pointers. With IoLifetime::kKeep, inputs and outputs
// are live at every task. If the device would place scratch memory on such an
// input or output, the inputs and outputs are placed above all other buffers.
//
// Errors: those of HeadBuffers and of Solve (planner.h); InvalidArgument if
// `chosen` has a tensor that does not exist, if an input or output that must be
// live at every task would get no offset, or if no sound plan was found with
// the offsets of KeptOffsets; OutOfRange if the head would be larger than
// kLargestArena.
absl::StatusOr<OfflinePlanning> PlanOffline(
    const Model& model, absl::string_view strategy,
    const SolveOptions& options = {},
    const absl::optional<std::vector<size_t>>& chosen = absl::nullopt,
    IoLifetime io_lifetime = IoLifetime::kUse);

}  // namespace stowage

#endif  // STOWAGE_TFLM_OFFLINE_CHECK_H_
