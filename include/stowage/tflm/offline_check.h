// SPDX-License-Identifier: Apache-2.0
// Plans a model on the desk for TensorFlow Lite Micro, and says whether a plan
// that travels in one is sound. To read it from a file and write it into one
// use offline_plan.h; to check it on the device, micro/offline.h.
//
//   const auto verdict = CheckOfflinePlan(*model, plan);
//   if (verdict.ok() && verdict->is_sound()) Use(verdict->head_bytes);
//
// A device takes the offsets as they are, and places around them what has none:
// tensors with kPlacedOnDevice, and scratch memory of operators, which is never
// in a plan. Lifetimes are those of the rules `micro` (micro_trace.h).
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

// Bytes: as large as the largest region of memory that a Cortex-M has
// (ARMv7-M Architecture Reference Manual, B3.1). No arena can be larger.
inline constexpr size_t kLargestArena = size_t{1} << 30;

// Compilers for accelerators, such as Vela, give tensors of their custom
// operators overlapping places by intent. An overlap that custom operators
// alone could notice is undecided: what they do with the bytes is not in the
// model. A tensor that nothing writes and custom operators alone read
// (TensorSpec::is_scratch) is live at each of them and not in between.
struct OfflineCheckOptions {
  // Bytes that the head may have at most.
  size_t capacity = kLargestArena;
  // Overlaps are allowed, and no longer undecided, where at every operator that
  // has both tensors at most one brings data, and at most one, an output of
  // this operator, is used afterwards.
  bool allow_custom_overlap = false;
  // The width of the device's pointers: the size of some scratch memory depends
  // on it.
  MicroWord word = MicroWord::k64;
  // With kKeep inputs and outputs of the model are live at every task.
  IoLifetime io_lifetime = IoLifetime::kUse;
};

// What is in the head of the arena.
struct OfflineBuffer {
  MicroBuffer buffer;
  // Holds state from one invocation to the next, so it is always live, whatever
  // its record says: that is what the device takes its lifetime for.
  bool is_variable = false;
  // An input or output that is to be held for the whole run, which the device
  // does not know either.
  bool is_held = false;
  absl::optional<int64_t> given;  // by the plan, in bytes; may be any value
  size_t offset = 0;  // where it lies, in bytes, if the plan is not refuted
  // It has a given offset and shares bytes with another buffer that has one
  // while both are live, as custom operators alone can intend.
  bool shares_bytes = false;
};

struct OfflineViolation {
  enum class Kind {
    kNegative,          // the offset is below 0, before the arena
    kMisaligned,        // the offset is not a multiple of kMicroAlignment
    kPastEnd,           // the buffer ends above the capacity
    kOverlappingBytes,  // two buffers that are live at one task share bytes
    kOverwrittenState,  // the device would place `second` on a variable
    // A variable gets no memory: the device takes it for planned. Of subgraph 1
    // and above it looks at the entry with the number that the variable has in
    // its subgraph.
    kNoMemory,
  };
  Kind kind = Kind::kNegative;
  size_t first = 0;         // index into OfflineVerdict::buffers
  size_t second = kAbsent;  // of the other buffer, where there are two
  // Where there are two: bytes [begin, end) that they share, and the first task
  // at which both are live.
  size_t begin = 0;
  size_t end = 0;
  TaskId task = 0;
};

// "negative", "misaligned", "past_end", "overlapping_bytes",
// "overwritten_state", "no_memory".
absl::string_view OfflineViolationName(OfflineViolation::Kind kind);

struct OfflineVerdict {
  // In the order of MicroBuffersOf; where there are violations kNoMemory, the
  // variables that these are about, and nothing else is checked.
  std::vector<OfflineBuffer> buffers;
  // The first kMaxViolations; none of a plan that is sound or undecided.
  std::vector<OfflineViolation> violations;
  // Overlaps that do no harm: with scratch memory while no operator works in
  // it, and those that options.allow_custom_overlap has let pass.
  std::vector<OfflineViolation> allowed;
  // Overlaps of which custom operators alone know whether they do harm.
  std::vector<OfflineViolation> undecided;
  // Bytes that the head takes with all that is placed on the device; none if
  // there are violations.
  absl::optional<size_t> head_bytes;

  bool is_sound() const { return violations.empty() && undecided.empty(); }
  // All overlaps of buffers that are live at one task as the device has them
  // live, of a plan without violations.
  std::vector<OfflineViolation> overlaps() const;
};

// "sound", "undecided" or "unsound".
absl::string_view OfflineVerdictName(const OfflineVerdict& verdict);

inline constexpr size_t kMaxViolations = 100;

// `plan` is none for a model without one. Errors: InvalidArgument if the plan
// is not for as many tensors and subgraphs as the model has; those of
// MicroBuffersOf. O(n log n) for n buffers, and O(n c) where some share bytes,
// c of them live at one time.
absl::StatusOr<OfflineVerdict> CheckOfflinePlan(
    const Model& model, const absl::optional<OfflinePlan>& plan,
    const OfflineCheckOptions& options = {});

// The offsets, counted through the subgraphs, that every plan of the model has
// to keep: of all tensors that custom operators read or write, and that the
// plan in the model places, if that plan has overlaps that custom operators
// alone can intend. They address memory as their compiler has laid it out.
// kPlacedOnDevice for other tensors; no offsets at all if nothing is to be
// kept, as without a plan. Errors: those of MicroBuffersOf, and those of
// ReadOfflinePlan if the model has scratch memory of custom operators.
absl::StatusOr<std::vector<int32_t>> KeptOffsets(const Model& model);

// Returns how many of these tensors keep their offset.
size_t CountKept(absl::Span<const int32_t> kept_offsets);

// "4 tensors of custom operators stay where the plan in the model has them", or
// nothing for none.
std::string DescribeKept(size_t tensors);

struct HeadOptions {
  // Keep the offsets of the plan in the model.
  bool honour_offline_plan = false;
  // The width of the device's pointers: the size of some scratch memory depends
  // on it.
  MicroWord word = MicroWord::k64;
  // With kKeep inputs and outputs of the model are held for the whole run.
  IoLifetime io_lifetime = IoLifetime::kUse;
};

// The buffers of a model, those of MicroBuffersOf. If its plan is to be
// honoured, with the offsets of that, where it has one, else with those of
// KeptOffsets; where there are offsets, with lives joined (JoinLives), that of
// a variable with an offset over all tasks: what is placed around them keeps
// the plan sound. With IoLifetime::kKeep inputs and outputs are held
// (HoldInputsAndOutputs). Errors: those of MicroBuffersOf and KeptOffsets; with
// offsets, those of ReadOfflinePlan and CheckOfflinePlan, and InvalidArgument
// if they are not sound even where custom overlaps are allowed.
absl::StatusOr<std::vector<OfflineBuffer>> HeadBuffers(
    const Model& model, const HeadOptions& options = {});

// Plans the head of a model: offsets by buffer, around those with `given`,
// whose offsets are kept even where they share bytes. Errors: those of
// Problem::Create, Solve and MicroBuffersOf.
absl::StatusOr<Solution> SolveHead(const Model& model,
                                   absl::Span<const OfflineBuffer> buffers,
                                   absl::string_view strategy,
                                   const SolveOptions& options = {});

// The place of a buffer, for messages: `tensor 7 "conv1"`, `scratch memory of
// operator 3 (CONV_2D)`, with its subgraph where there are several.
std::string OfflineBufferPlace(const Model& model, const OfflineBuffer& buffer);

// A violation of `verdict` in one line, with tensors, bytes and tasks.
std::string Describe(const Model& model, const OfflineVerdict& verdict,
                     const OfflineViolation& violation);

struct OfflinePlanning {
  OfflinePlan plan;
  Solution solution;        // of the whole head, scratch memory included
  size_t head_bytes = 0;    // with the plan, as CheckOfflinePlan has it
  size_t kept_tensors = 0;  // that have the offsets of KeptOffsets
};

// Plans the head of a model, with tensors of a subgraph that several operators
// call live from its first run to its last. Only the tensors `chosen`, counted
// through the subgraphs, get offsets; all, if there is no value. Variables have
// none, and lie in the tail as without a plan; nor have tensors whose entry the
// device would take for that of such a variable (kNoMemory). Sizes of scratch
// memory are those of 64 bits, which are never less than those of 32. With
// IoLifetime::kKeep inputs and outputs are held; where the device would place
// scratch memory on one, they lie above everything else. Errors: those of
// MicroBuffersOf and of Solve (planner.h); InvalidArgument for a tensor that
// does not exist, and for an input or output that is to be held without an
// offset; OutOfRange for a head above kLargestArena.
absl::StatusOr<OfflinePlanning> PlanOffline(
    const Model& model, absl::string_view strategy,
    const SolveOptions& options = {},
    const absl::optional<std::vector<size_t>>& chosen = absl::nullopt,
    IoLifetime io_lifetime = IoLifetime::kUse);

}  // namespace stowage

#endif  // STOWAGE_TFLM_OFFLINE_CHECK_H_
