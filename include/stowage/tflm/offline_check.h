// SPDX-License-Identifier: Apache-2.0
// Plans a model on the host for TensorFlow Lite Micro, and checks that a plan
// stored in a model is sound. To read a plan from a model file or to write a
// plan into a file, use offline_plan.h; to check a plan on the device, use
// micro/offline.h.
//
//   const auto verdict = CheckOfflinePlan(*model, plan);
//   if (verdict.ok() && verdict->is_sound()) Use(verdict->head_bytes);
//
// A device uses the offsets as they are, and places the buffers without an
// offset around them: tensors with kPlacedOnDevice, and scratch memory of
// operators, which never has an offset in a plan. Lifetimes follow the rules
// `micro` (micro_trace.h).
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

// The size in bytes of the largest region of memory that a Cortex-M has
// (ARMv7-M Architecture Reference Manual, B3.1). No arena can be larger.
inline constexpr size_t kLargestArena = size_t{1} << 30;

// Options of CheckOfflinePlan. Compilers for accelerators, such as Vela,
// intentionally give overlapping places to tensors of their custom operators.
// If only custom operators could notice an overlap, the verdict is "undecided",
// since the model does not say what custom operators do with the bytes. A
// tensor that nothing writes and only custom operators read
// (TensorSpec::is_scratch) is live at each of these operators and not in
// between.
struct OfflineCheckOptions {
  // The maximum number of bytes that the head may have.
  size_t capacity = kLargestArena;
  // If true, an overlap of two tensors is allowed, instead of undecided, if the
  // compiler of the model intends this overlap. An overlap counts as intended
  // if every operator at which both tensors are live meets three conditions.
  // The operator is custom and has both tensors as operands. At most one of the
  // two tensors has data before the operator runs. At most one of them is used
  // afterwards, and this one is an output of the operator.
  bool allow_custom_overlap = false;
  // The size of the device's pointers, on which the size of some scratch memory
  // depends.
  MicroWord word = MicroWord::k64;
  // With kKeep, inputs and outputs of the model are live at every task.
  IoLifetime io_lifetime = IoLifetime::kUse;
};

// A buffer in the head of the arena.
struct OfflineBuffer {
  MicroBuffer buffer;
  // True if the buffer holds state from one invocation to the next, and is
  // therefore always live. The device, however, assumes a shorter lifetime, and
  // the record of the buffer has that lifetime.
  bool is_variable = false;
  // True if the buffer is an input or output that must be held for the whole
  // run. The device does not know this.
  bool is_held = false;
  // The offset in bytes that the plan gives to the buffer. The plan may contain
  // any value.
  absl::optional<int64_t> given;
  size_t offset = 0;  // is in bytes, and is set if the plan is not refuted
  // True if the buffer has a given offset and shares bytes with another buffer
  // with a given offset while both are live. Only custom operators can intend
  // such an overlap.
  bool shares_bytes = false;
};

// A mistake in a plan, or an overlap of two of its buffers.
struct OfflineViolation {
  enum class Kind {
    kNegative,          // the offset is below 0
    kMisaligned,        // the offset is not a multiple of kMicroAlignment
    kPastEnd,           // the buffer ends above the capacity
    kOverlappingBytes,  // two buffers that are live at one task share bytes
    kOverwrittenState,  // the device would place `second` on a variable
    // A variable without an offset gets no memory, since the device uses the
    // offset of another tensor for it. In subgraphs other than the first, the
    // device looks up the wrong entry of the plan: it takes the index of the
    // variable in its subgraph for the number of the entry.
    kNoMemory,
  };
  Kind kind = Kind::kNegative;
  size_t first = 0;         // an index into OfflineVerdict::buffers
  size_t second = kAbsent;  // the index of the other buffer, if there are two
  // The bytes [begin, end) that the two buffers share, and the first task at
  // which both are live. They are set only if there are two buffers.
  size_t begin = 0;
  size_t end = 0;
  TaskId task = 0;
};

// Returns "negative", "misaligned", "past_end", "overlapping_bytes",
// "overwritten_state" or "no_memory".
absl::string_view OfflineViolationName(OfflineViolation::Kind kind);

struct OfflineVerdict {
  // The buffers in the order of MicroBuffersOf. If some variables have no
  // memory (kNoMemory), the list has only these variables, and nothing else was
  // checked.
  std::vector<OfflineBuffer> buffers;
  // The first kMaxViolations violations. The list is empty if the plan is sound
  // or undecided.
  std::vector<OfflineViolation> violations;
  // Overlaps that do no harm. These are overlaps with scratch memory while no
  // operator uses it, and overlaps that options.allow_custom_overlap allows.
  std::vector<OfflineViolation> allowed;
  // Overlaps that may do harm, depending on what the custom operators involved
  // do with the bytes.
  std::vector<OfflineViolation> undecided;
  // The bytes that the head takes, including all buffers that the device
  // places. It has no value if there are violations.
  absl::optional<size_t> head_bytes;

  bool is_sound() const { return violations.empty() && undecided.empty(); }
  // Returns `allowed`, followed by `undecided`. If there are no violations, the
  // result has all pairs of placed buffers that share bytes and are both live
  // at some task. A scratch tensor (TensorSpec::is_scratch) counts as live from
  // the beginning to its last use, as on the device.
  std::vector<OfflineViolation> overlaps() const;
};

// Returns "sound", "undecided" or "unsound".
absl::string_view OfflineVerdictName(const OfflineVerdict& verdict);

inline constexpr size_t kMaxViolations = 100;

// Checks a plan. `plan` is nullopt for a model without a plan. Errors:
// InvalidArgument if the numbers of tensors and subgraphs of the plan are not
// those of the model; those of MicroBuffersOf. O(n log n) for n buffers. If
// some buffers share bytes, O(n c), where at most c buffers are live at one
// time.
absl::StatusOr<OfflineVerdict> CheckOfflinePlan(
    const Model& model, const absl::optional<OfflinePlan>& plan,
    const OfflineCheckOptions& options = {});

// Returns the offsets that every plan of the model must keep, in one list for
// the tensors of all subgraphs. If the plan in the model has overlaps that only
// custom operators can intend, the custom operators rely on the offsets that
// their compiler chose. Each tensor that a custom operator reads or writes must
// then keep the offset that the plan gives it. The entry of any other tensor is
// kPlacedOnDevice. Returns an empty list if no offset must be kept, for example
// without a plan. Errors: those of MicroBuffersOf, and those of ReadOfflinePlan
// if the model has scratch memory of custom operators.
absl::StatusOr<std::vector<int32_t>> KeptOffsets(const Model& model);

// Returns the number of tensors that keep their offset.
size_t CountKept(absl::Span<const int32_t> kept_offsets);

// Returns "4 tensors of custom operators stay where the plan in the model has
// them", or an empty string for 0.
std::string DescribeKept(size_t tensors);

// Says which buffers HeadBuffers returns.
struct HeadOptions {
  // If true, the buffers get the offsets of the plan in the model.
  bool honour_offline_plan = false;
  // The size of the device's pointers, on which the size of some scratch memory
  // depends.
  MicroWord word = MicroWord::k64;
  // With kKeep, inputs and outputs of the model are held for the whole run.
  IoLifetime io_lifetime = IoLifetime::kUse;
};

// Returns the buffers of a model, which are those of MicroBuffersOf.
//
// If options.honour_offline_plan is true, the buffers have the offsets of the
// plan in the model, if there is one. Otherwise the buffers have the offsets of
// KeptOffsets. If there are offsets, the lifetimes of each buffer are joined
// (JoinLives), and a variable with an offset is live at all tasks. A plan that
// places the other buffers around these offsets is therefore sound. With
// IoLifetime::kKeep, inputs and outputs are held (HoldInputsAndOutputs).
//
// Errors: those of MicroBuffersOf and KeptOffsets; if there are offsets, also
// those of ReadOfflinePlan and CheckOfflinePlan, and InvalidArgument if the
// offsets are unsound even when custom overlaps are allowed.
absl::StatusOr<std::vector<OfflineBuffer>> HeadBuffers(
    const Model& model, const HeadOptions& options = {});

// Plans the head of a model. The result has an offset for each buffer. A buffer
// with the offset OfflineBuffer::given keeps this offset, even if it shares
// bytes with another buffer. Errors: those of Problem::Create, Solve and
// MicroBuffersOf.
absl::StatusOr<Solution> SolveHead(const Model& model,
                                   absl::Span<const OfflineBuffer> buffers,
                                   absl::string_view strategy,
                                   const SolveOptions& options = {});

// Returns the name of a buffer for messages: `tensor 7 "conv1"` or `scratch
// memory of operator 3 (CONV_2D)`, with its subgraph if there are several.
std::string OfflineBufferPlace(const Model& model, const OfflineBuffer& buffer);

// Describes a violation of `verdict` in one line, with tensors, bytes and
// tasks.
std::string Describe(const Model& model, const OfflineVerdict& verdict,
                     const OfflineViolation& violation);

// Returns the InvalidArgument error for a plan in the model that has
// violations. The error names the first violation.
absl::Status UnsoundPlanError(const Model& model,
                              const OfflineVerdict& verdict);

// A plan that PlanOffline has made.
struct OfflinePlanning {
  OfflinePlan plan;
  Solution solution;  // the solution for the whole head with scratch memory
  // The size of the head under the plan, as CheckOfflinePlan computes it.
  size_t head_bytes = 0;
  // The number of tensors that keep the offsets that KeptOffsets returns.
  size_t kept_tensors = 0;
};

// Plans the head of a model. If several operators call a subgraph, each tensor
// of the subgraph is live from the first run of the subgraph to its last run.
// If `chosen` has a value, only two kinds of tensors get offsets: those in
// `chosen`, in which the tensors of all subgraphs are numbered consecutively,
// and those that must keep an offset (KeptOffsets). If `chosen` has no value,
// all tensors get offsets. In both cases, two kinds of tensors get no offset
// unless they must keep one: variables, which lie in the tail, as they do
// without a plan; and tensors with an entry in the plan that the device would
// wrongly use for a variable (kNoMemory). Scratch memory has the sizes for
// pointers of 64 bits, which are never less than the sizes for 32 bits. With
// IoLifetime::kKeep, inputs and outputs are held. If the device would place
// scratch memory on a held buffer, the held buffers are placed above all
// others.
//
// Errors: those of HeadBuffers and of Solve (planner.h); InvalidArgument if
// `chosen` has a tensor that does not exist, if an input or output that must be
// held would get no offset, or if no sound plan was found with the offsets of
// KeptOffsets; OutOfRange if the head would be larger than kLargestArena.
absl::StatusOr<OfflinePlanning> PlanOffline(
    const Model& model, absl::string_view strategy,
    const SolveOptions& options = {},
    const absl::optional<std::vector<size_t>>& chosen = absl::nullopt,
    IoLifetime io_lifetime = IoLifetime::kUse);

}  // namespace stowage

#endif  // STOWAGE_TFLM_OFFLINE_CHECK_H_
