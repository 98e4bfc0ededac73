// SPDX-License-Identifier: Apache-2.0
// Builds small models of byte tensors for tests of whole runs. Each operator is
// either sound or has a planted fault that the checks must find.
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

// CustomOperator returns an operator registration whose kernel calls `prepare`
// and `invoke`.
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
//     MixInPlace  byte i of the output depends on byte i of each input; the
//                 output may reuse the memory of either of two inputs
//     Copy        copies input 0; the output may share its memory
//     Join        concatenates the inputs; an input may already be in its place
//                 in the output
//     Scratch     Mix, computed in a temporary
//     Accumulate  adds input 0 to the variable that is input 1, and writes the
//                 sum
//     Expand      writes 1 to 16 bytes; the first byte of the input determines
//                 how many
//     CallOnce    Mix after a call of subgraph 1
//   with a planted fault
//     WriteOneMore   Mix, but also writes the byte after the end of the output
//     SpoilCopy      Copy, but changes the first byte
//     ChangeInput    Mix, but also changes the last byte of input 0
//     LeaveOutLast   Mix, but does not write the last byte of the output
//     ReadOutput     Mix, but adds the previous content of the output's first
//                    byte
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
  // Begins the next subgraph. All tensors and operators added later belong to
  // it.
  void BeginSubgraph();

  const ModelSpec& spec() const { return spec_; }

 private:
  GraphSpec& graph();
  size_t AddTensor(size_t bytes);

  ModelSpec spec_;
};

// Holds a model and the bytes from which the model is loaded. `spec` is needed
// only during construction.
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

// Fills the inputs with zeros, which are also valid for inputs that are shapes
// or indices. Ignores `invocation`.
absl::Status FeedZeros(Subgraph& graph, size_t invocation = 0);

// Returns a planner that places each tensor at the offset to which `offsets`
// maps the index of the tensor. The planner returns NotFound if a record
// belongs to a tensor that is not in `offsets`.
std::function<absl::StatusOr<OffsetsAssignment>(const ArenaRecords&)> PlanAt(
    std::map<size_t, size_t> offsets);

}  // namespace stowage::harness

#endif  // STOWAGE_TESTS_HARNESS_BYTE_MODELS_H_
