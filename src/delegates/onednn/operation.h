// SPDX-License-Identifier: Apache-2.0
// Describes how a node of a graph becomes a primitive of oneDNN: the primitive
// itself, the sources of its operands, and the packing of constants.
// onednn_kernel.h runs the primitive.
#ifndef STOWAGE_SRC_DELEGATES_ONEDNN_OPERATION_H_
#define STOWAGE_SRC_DELEGATES_ONEDNN_OPERATION_H_

#include <cstddef>
#include <cstdint>
#include <oneapi/dnnl/dnnl.hpp>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "stowage/harness/delegate.h"
#include "stowage/harness/fixed_point.h"
#include "stowage/harness/kernel_tools.h"
#include "stowage/harness/operator_options.h"
#include "stowage/harness/tensor.h"
#include "stowage/tflite/model.h"
#include "stowage/tflite/storage.h"

namespace stowage::harness::onednn {

// Returns Unimplemented, which means that the delegate declines to run a node.
template <typename... Parts>
absl::Status Refuse(const Parts&... parts) {
  return absl::UnimplementedError(absl::StrCat(parts...));
}

// Calls a function of oneDNN. Returns the result of the call, or Unimplemented
// if the function throws.
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

// While an object of this class exists, calls of oneDNN run on `threads` OpenMP
// threads.
class ThreadScope {
 public:
  explicit ThreadScope(int threads);
  ~ThreadScope();
  ThreadScope(const ThreadScope&) = delete;
  ThreadScope& operator=(const ThreadScope&) = delete;

 private:
  int before_;
};

// A tensor that the primitive reads or writes.
struct Operand {
  int argument = 0;  // a DNNL_ARG_... constant
  size_t tensor = 0;
  dnnl::memory::desc desc;
};

// Weights or a bias, in the layout of the model and in that of the primitive.
struct Constant {
  int argument = 0;
  dnnl::memory::desc given;
  dnnl::memory::desc wanted;
  // Points into the model. If null, `converted` is used instead.
  const void* data = nullptr;
  std::vector<uint8_t> converted;  // the constant in a type that oneDNN accepts
};

struct Operation {
  dnnl::primitive_desc primitive;
  std::vector<Operand> inputs;
  Operand output;
  std::vector<Constant> constants;
  // The inputs whose memory the output may reuse.
  InPlace in_place = InPlace::kNever;
};

// Provides access to a node and checks its tensors.
class Node {
 public:
  // All arguments must outlive the object.
  Node(const DelegateGraph& graph, const OperatorSpec& spec,
       const dnnl::engine& engine)
      : graph_(graph), spec_(spec), engine_(engine) {}

  const OperatorSpec& spec() const { return spec_; }
  const dnnl::engine& engine() const { return engine_; }
  bool has_input(size_t i) const {
    return i < spec_.inputs.size() && spec_.inputs[i] != kAbsent;
  }
  // Returns input `i`. Requires that the input is present.
  const Tensor& input(size_t i) const { return graph_.tensor(spec_.inputs[i]); }
  // Returns the only output. Requires that CheckData has accepted the node.
  const Tensor& output() const { return graph_.tensor(spec_.outputs[0]); }

  // Checks that the inputs in the list and the only output are present, have
  // elements, and are all of type FLOAT32. If `allows_bytes` is true, these
  // tensors may instead be all of type INT8 or all of type UINT8, with one
  // scale each. Inputs that the model converts from FLOAT16 constants are
  // rejected.
  absl::Status CheckData(std::initializer_list<size_t> inputs,
                         bool allows_bytes) const;

  Operand Read(int argument, size_t i, const dnnl::memory::desc& desc) const {
    return {argument, spec_.inputs[i], desc};
  }
  Operand Written(const dnnl::memory::desc& desc) const {
    return {DNNL_ARG_DST, spec_.outputs[0], desc};
  }
  // Reads input `i`, which must be a constant: floats, possibly stored as
  // FLOAT16; bytes, from which the zero point is subtracted; or INT32. Returns
  // an error if the input is computed or has another type, or if a byte minus
  // the zero point does not fit in INT8.
  absl::StatusOr<Constant> ReadConstant(int argument, size_t i,
                                        const dnnl::memory::dims& dims,
                                        const dnnl::memory::dims& strides,
                                        const dnnl::memory::desc& wanted) const;
  // Returns the element type of the constant that ReadConstant returns.
  absl::StatusOr<dnnl::memory::data_type> ConstantType(size_t i) const;

 private:
  // Returns the constant that provides input `i`: the FLOAT16 constant if the
  // model converts one to floats. Returns null for an input that is absent or
  // computed.
  const Tensor* FindConstant(size_t i) const;

  const DelegateGraph& graph_;
  const OperatorSpec& spec_;
  const dnnl::engine& engine_;
};

// Returns oneDNN's data type for a tensor. Requires that CheckData has accepted
// the tensor.
dnnl::memory::data_type TypeOf(const Tensor& tensor);
// Describes a tensor that is an image [batch, height, width, channels].
dnnl::memory::desc ImageDesc(const Tensor& tensor);
// Describes a tensor as a matrix whose rows have `depth` elements.
dnnl::memory::desc RowsDesc(const Tensor& tensor, int64_t depth);

// Returns attributes that make the primitive use scratch memory provided by the
// kernel and apply the activation to its result. Returns an error for an
// activation that oneDNN does not support for this purpose.
absl::StatusOr<dnnl::primitive_attr> MakeAttributes(const Tensor& output,
                                                    FusedActivation activation);

// Returns whether an implementation of a primitive may be used. The reference
// code is rejected because it is too slow. The code for AMX is rejected because
// it reads whole tiles of up to 16 pixels, and thus reads thousands of bytes
// beyond the last pixel.
bool IsUsable(absl::string_view implementation);

// Returns a usable implementation of the primitive described by
// Primitive::desc(arguments...), or an error if there is none.
template <typename Primitive, typename... Arguments>
absl::StatusOr<dnnl::primitive_desc> MakePrimitive(
    const dnnl::engine& engine, const dnnl::primitive_attr& attributes,
    const Arguments&... arguments) {
  bool is_usable = false;
  absl::StatusOr<dnnl::primitive_desc> made =
      Guard([&]() -> dnnl::primitive_desc {
        // The descriptor must exist while the loop below tries implementations.
        const typename Primitive::desc desc(arguments...);
        typename Primitive::primitive_desc found(desc, attributes, engine);
        do {
          is_usable = IsUsable(found.impl_info_str());
        } while (!is_usable && found.next_impl());
        return found;
      });
  if (made.ok() && !is_usable) {
    return Refuse("oneDNN has no optimized code for it");
  }
  return made;
}

// Describes how oneDNN runs a node. Error: Unimplemented, with the reason, if
// oneDNN cannot run the node, or if its results would differ from those of the
// kernels of this library.
absl::StatusOr<Operation> Describe(const Node& node);

// One function for each kind of operator. Describe calls the function for the
// operator's name.
absl::StatusOr<Operation> DescribeConvolution(const Node& node);
absl::StatusOr<Operation> DescribeDepthwise(const Node& node);
absl::StatusOr<Operation> DescribeFullyConnected(const Node& node);
absl::StatusOr<Operation> DescribePool(const Node& node);
absl::StatusOr<Operation> DescribeUnary(const Node& node);
absl::StatusOr<Operation> DescribeBinary(const Node& node);
absl::StatusOr<Operation> DescribeSoftmax(const Node& node);

}  // namespace stowage::harness::onednn

#endif  // STOWAGE_SRC_DELEGATES_ONEDNN_OPERATION_H_
