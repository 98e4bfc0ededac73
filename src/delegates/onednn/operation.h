// SPDX-License-Identifier: Apache-2.0
// A node of a graph as a primitive of oneDNN: which one, where its operands
// come from, and how constants are packed for it. What runs it is
// onednn_kernel.h.
#ifndef STOWAGE_SRC_DELEGATES_ONEDNN_OPERATION_H_
#define STOWAGE_SRC_DELEGATES_ONEDNN_OPERATION_H_

#include <cstddef>
#include <cstdint>
#include <oneapi/dnnl/dnnl.hpp>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "src/harness/kernels/fixed_point.h"
#include "src/harness/kernels/support.h"
#include "stowage/harness/delegate.h"
#include "stowage/harness/tensor.h"
#include "stowage/tflite/model.h"
#include "stowage/tflite/storage.h"

namespace stowage::harness::onednn {

// Unimplemented: the delegate leaves the node to others.
template <typename... Parts>
absl::Status Refuse(const Parts&... parts) {
  return absl::UnimplementedError(absl::StrCat(parts...));
}

// Calls to oneDNN throw where it fails; what they return, or Unimplemented.
template <typename Call>
auto Guard(const Call& call) -> absl::StatusOr<decltype(call())> {
  try {
    return call();
  } catch (const dnnl::error& error) {
    return absl::UnimplementedError(
        absl::StrCat("oneDNN: ", error.what(), " (status ",
                     static_cast<int>(error.status), ")"));
  }
}

// Calls of oneDNN in its scope run on so many threads of OpenMP.
class ThreadScope {
 public:
  explicit ThreadScope(int threads);
  ~ThreadScope();
  ThreadScope(const ThreadScope&) = delete;
  ThreadScope& operator=(const ThreadScope&) = delete;

 private:
  int before_;
};

// A tensor that is read or written while the primitive runs.
struct Operand {
  int argument = 0;  // DNNL_ARG_...
  size_t tensor = 0;
  dnnl::memory::desc desc;
};

// Weights or a bias, as the model has them and as the primitive wants them.
struct Constant {
  int argument = 0;
  dnnl::memory::desc given;
  dnnl::memory::desc wanted;
  const void* data = nullptr;      // of the model; null: `converted`
  std::vector<uint8_t> converted;  // to a type that oneDNN takes
};

struct Operation {
  dnnl::primitive_desc primitive;
  std::vector<Operand> inputs;
  Operand output;
  std::vector<Constant> constants;
  // Which of `inputs` the output may take over the memory of.
  InPlace in_place = InPlace::kNever;
};

// A node and what is asked of its tensors.
class Node {
 public:
  // All must outlive it.
  Node(const DelegateGraph& graph, const OperatorSpec& spec,
       const dnnl::engine& engine)
      : graph_(graph), spec_(spec), engine_(engine) {}

  const OperatorSpec& spec() const { return spec_; }
  const dnnl::engine& engine() const { return engine_; }
  bool has_input(size_t i) const {
    return i < spec_.inputs.size() && spec_.inputs[i] != kAbsent;
  }
  // Of an input that is there.
  const Tensor& input(size_t i) const { return graph_.tensor(spec_.inputs[i]); }
  // Of a node that CheckData has accepted.
  const Tensor& output() const { return graph_.tensor(spec_.outputs[0]); }

  // Error unless these inputs and one output are there, have elements, are of
  // one type, FLOAT32 unless `allows_bytes`: then INT8 or UINT8, too, with one
  // scale, and no input is made of constants of FLOAT16.
  absl::Status CheckData(std::initializer_list<size_t> inputs,
                         bool allows_bytes) const;

  Operand Read(int argument, size_t i, const dnnl::memory::desc& desc) const {
    return {argument, spec_.inputs[i], desc};
  }
  Operand Written(const dnnl::memory::desc& desc) const {
    return {DNNL_ARG_DST, spec_.outputs[0], desc};
  }
  // Input `i` as constant floats, perhaps from FLOAT16, or bytes less their
  // zero point, or INT32. Error for what is computed, of another type, or has
  // values beyond INT8.
  absl::StatusOr<Constant> ReadConstant(int argument, size_t i,
                                        const dnnl::memory::dims& dims,
                                        const dnnl::memory::dims& strides,
                                        const dnnl::memory::desc& wanted) const;
  // The constant's element type as ReadConstant hands it over.
  absl::StatusOr<dnnl::memory::data_type> ConstantType(size_t i) const;

 private:
  // Null for an input that is left out or computed; of FLOAT16 if the model
  // makes floats of it.
  const Tensor* FindConstant(size_t i) const;

  const DelegateGraph& graph_;
  const OperatorSpec& spec_;
  const dnnl::engine& engine_;
};

// Of a tensor that CheckData has accepted.
dnnl::memory::data_type TypeOf(const Tensor& tensor);
// Images [batch, height, width, channels].
dnnl::memory::desc ImageDesc(const Tensor& tensor);
// Any tensor as rows of its last `depth` elements.
dnnl::memory::desc RowsDesc(const Tensor& tensor, int64_t depth);

// With scratch memory of ours, and the activation behind the operator. Error
// for an activation that oneDNN does not have there.
absl::StatusOr<dnnl::primitive_attr> MakeAttributes(
    const Tensor& output, tflite::ActivationFunctionType activation);

// Whether an implementation can be had: not the reference code, which is slow,
// nor that for AMX, which reads whole tiles of up to 16 pixels, thousands of
// bytes beyond the last one.
bool IsUsable(absl::string_view implementation);

// What oneDNN has for Primitive::desc(arguments...). Error if it has nothing
// that is usable.
template <typename Primitive, typename... Arguments>
absl::StatusOr<dnnl::primitive_desc> MakePrimitive(
    const dnnl::engine& engine, const dnnl::primitive_attr& attributes,
    const Arguments&... arguments) {
  bool is_usable = false;
  absl::StatusOr<dnnl::primitive_desc> made =
      Guard([&]() -> dnnl::primitive_desc {
        // It must outlive the search for implementations.
        const typename Primitive::desc desc(arguments...);
        typename Primitive::primitive_desc found(desc, attributes, engine);
        do {
          is_usable = IsUsable(found.impl_info_str());
        } while (!is_usable && found.next_impl());
        return found;
      });
  if (made.ok() && !is_usable) return Refuse("oneDNN has no fast code for it");
  return made;
}

// Error: Unimplemented, saying why, for a node that oneDNN does not run, or not
// with the results of this library's kernels.
absl::StatusOr<Operation> Describe(const Node& node);

// One for each sort of operators; by the name of an operator in Describe.
absl::StatusOr<Operation> DescribeConvolution(const Node& node);
absl::StatusOr<Operation> DescribeDepthwise(const Node& node);
absl::StatusOr<Operation> DescribeFullyConnected(const Node& node);
absl::StatusOr<Operation> DescribePool(const Node& node);
absl::StatusOr<Operation> DescribeUnary(const Node& node);
absl::StatusOr<Operation> DescribeBinary(const Node& node);
absl::StatusOr<Operation> DescribeSoftmax(const Node& node);

}  // namespace stowage::harness::onednn

#endif  // STOWAGE_SRC_DELEGATES_ONEDNN_OPERATION_H_
