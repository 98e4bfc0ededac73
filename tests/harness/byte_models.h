// SPDX-License-Identifier: Apache-2.0
// Makes small models of byte tensors for tests of whole runs. Their operators
// are sound, or have a fault that the checks must find.
//
//   ByteModel model;
//   const size_t in = model.AddInput(8);
//   model.MarkOutput(model.Add("Mix", {in}, 0));
#ifndef STOWAGE_TESTS_HARNESS_BYTE_MODELS_H_
#define STOWAGE_TESTS_HARNESS_BYTE_MODELS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "src/tflite/model_draft.h"
#include "stowage/assignment.h"
#include "stowage/harness/arena_planner.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/operator.h"
#include "stowage/tflite/model.h"

namespace stowage::harness {

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool kHasAddressSanitizer = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
inline constexpr bool kHasAddressSanitizer = true;
#else
inline constexpr bool kHasAddressSanitizer = false;
#endif
#else
inline constexpr bool kHasAddressSanitizer = false;
#endif

// CustomOperator makes the registration of an operator from the functions
// Prepare and Invoke of its kernel.
using KernelFunction = std::function<absl::Status(OperatorContext&)>;
OperatorRegistration CustomOperator(const std::string& name,
                                    KernelFunction prepare,
                                    KernelFunction invoke,
                                    InPlace in_place = InPlace::kNever);

// Returns the operators below. An output has as many bytes as input 0, plus the
// number of bytes in the operator's option.
//
//   sound
//     Mix         every byte of the output depends on all inputs
//     MixInPlace  byte i of the output depends on bytes i of the inputs; the
//                 output may take over the memory of either of two inputs
//     Copy        copies input 0; the output may share its memory
//     Join        writes the inputs one after the other; they may lie in the
//                 output already
//     Scratch     Mix by means of a temporary
//     Accumulate  adds input 0 to the variable that is input 1, and writes the
//                 sum
//     Expand      writes 1 to 16 bytes, as the first byte of the input says
//     CallOnce    Mix after a call of subgraph 1
//   with a planted fault
//     WriteOneMore   Mix, and writes a byte after the last one of the output
//     SpoilCopy      Copy, but changes the first byte
//     ChangeInput    Mix, and changes the last byte of input 0
//     LeaveOutLast   Mix, but does not write the last byte of the output
//     ReadOutput     Mix, and adds what was in the first byte of the output
//     RefuseOdd      Copy, but returns an error if the first byte is odd
OperatorResolver ByteOperators();

class ByteModel {
 public:
  // Each of these functions returns the index of the tensor that it adds. The
  // shape of an input may be changed later.
  size_t AddInput(size_t bytes);
  size_t AddVariable(size_t bytes);
  size_t AddConstant(std::vector<uint8_t> bytes);
  // Adds an operator and returns the index of its output.
  size_t Add(const std::string& name, const std::vector<size_t>& inputs,
             uint8_t more_bytes = 0);
  void MarkOutput(size_t tensor);
  // Begins the next subgraph. Everything that is added later belongs to it.
  void BeginSubgraph();

  const ModelSpec& spec() const { return spec_; }

 private:
  GraphSpec& graph();
  size_t AddTensor(size_t bytes);

  ModelSpec spec_;
};

// Holds a model and the bytes from which the model is loaded. `spec` is not
// needed after the construction.
class LoadedModel {
 public:
  explicit LoadedModel(const ModelSpec& spec);
  const Model& operator*() const { return *model_; }

 private:
  std::string bytes_;
  std::unique_ptr<const Model> model_;
};

// Fills the inputs with bytes that depend on the invocation.
absl::Status FeedBytes(Subgraph& graph, size_t invocation);

// Fills the inputs with zeros, since zero is also valid for inputs that are
// shapes or indices. The invocation does not matter.
absl::Status FeedZeros(Subgraph& graph, size_t invocation = 0);

// Returns a planner that puts each tensor at its offset in `offsets`, which
// maps tensors to offsets. The planner returns NotFound if a record belongs to
// a tensor that is not in `offsets`.
std::function<absl::StatusOr<OffsetsAssignment>(const ArenaRecords&)> PlanAt(
    std::map<size_t, size_t> offsets);

}  // namespace stowage::harness

#endif  // STOWAGE_TESTS_HARNESS_BYTE_MODELS_H_
