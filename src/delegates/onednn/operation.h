// SPDX-License-Identifier: Apache-2.0
// Describes a node of a graph as a primitive of oneDNN: the primitive, the
// sources of its operands, and the packing of constants. onednn_kernel.h runs
// it.
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

// Returns Unimplemented: the delegate leaves the node to others.
template <typename... Parts>
absl::Status Refuse(const Parts&... parts) {
  return absl::UnimplementedError(absl::StrCat(parts...));
}

// Calls oneDNN, which throws on failure. Returns the result of the call, or
// Unimplemented.
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

// During its lifetime calls of oneDNN run on so many threads of OpenMP.
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

// Weights or a bias, in the layout of the model and in that of the primitive.
struct Constant {
  int argument = 0;
  dnnl::memory::desc given;
  dnnl::memory::desc wanted;
  const void* data = nullptr;      // of the model; null: use `converted`
  std::vector<uint8_t> converted;  // to a type that oneDNN accepts
};

struct Operation {
  dnnl::primitive_desc primitive;
  std::vector<Operand> inputs;
  Operand output;
  std::vector<Constant> constants;
  // The inputs whose memory the output may take over.
  InPlace in_place = InPlace::kNever;
};

// A node, with checks of its tensors.
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
  // Requires an input that is present.
  const Tensor& input(size_t i) const { return graph_.tensor(spec_.inputs[i]); }
  // Requires a node that CheckData has accepted.
  const Tensor& output() const { return graph_.tensor(spec_.outputs[0]); }

  // Error unless these inputs and one output are present, have elements and are
  // of one type, which is FLOAT32. With `allows_bytes` it may also be INT8 or
  // UINT8 with one scale. Inputs must not be converted from constants of
  // FLOAT16.
  absl::Status CheckData(std::initializer_list<size_t> inputs,
                         bool allows_bytes) const;

  Operand Read(int argument, size_t i, const dnnl::memory::desc& desc) const {
    return {argument, spec_.inputs[i], desc};
  }
  Operand Written(const dnnl::memory::desc& desc) const {
    return {DNNL_ARG_DST, spec_.outputs[0], desc};
  }
  // Reads input `i` as constant floats, possibly converted from FLOAT16, as
  // bytes minus their zero point, or as INT32. Error for inputs that are
  // computed, of another type, or with values beyond INT8.
  absl::StatusOr<Constant> ReadConstant(int argument, size_t i,
                                        const dnnl::memory::dims& dims,
                                        const dnnl::memory::dims& strides,
                                        const dnnl::memory::desc& wanted) const;
  // Returns the type of the elements of the constant that ReadConstant returns.
  absl::StatusOr<dnnl::memory::data_type> ConstantType(size_t i) const;

 private:
  // Returns null for an input that is left out or computed, and the FLOAT16
  // constant if the model converts it to floats.
  const Tensor* FindConstant(size_t i) const;

  const DelegateGraph& graph_;
  const OperatorSpec& spec_;
  const dnnl::engine& engine_;
};

// Requires a tensor that CheckData has accepted.
dnnl::memory::data_type TypeOf(const Tensor& tensor);
// Describes images [batch, height, width, channels].
dnnl::memory::desc ImageDesc(const Tensor& tensor);
// Describes any tensor as rows of its last `depth` elements.
dnnl::memory::desc RowsDesc(const Tensor& tensor, int64_t depth);

// Returns attributes with scratch memory provided by the kernel, and the
// activation after the operator. Error for an activation that oneDNN does not
// support there.
absl::StatusOr<dnnl::primitive_attr> MakeAttributes(
    const Tensor& output, tflite::ActivationFunctionType activation);

// Returns whether an implementation may be used. The reference code is too
// slow. The code for AMX reads whole tiles of up to 16 pixels, thousands of
// bytes beyond the last one.
bool IsUsable(absl::string_view implementation);

// Returns oneDNN's implementation of Primitive::desc(arguments...). Error if
// none is usable.
template <typename Primitive, typename... Arguments>
absl::StatusOr<dnnl::primitive_desc> MakePrimitive(
    const dnnl::engine& engine, const dnnl::primitive_attr& attributes,
    const Arguments&... arguments) {
  bool is_usable = false;
  absl::StatusOr<dnnl::primitive_desc> made =
      Guard([&]() -> dnnl::primitive_desc {
        // The descriptor must outlive the search for implementations.
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

// Error: Unimplemented, with the reason, for a node that oneDNN does not run,
// or that it runs with results other than those of this library's kernels.
absl::StatusOr<Operation> Describe(const Node& node);

// One function for each kind of operator; Describe selects it by the operator's
// name.
absl::StatusOr<Operation> DescribeConvolution(const Node& node);
absl::StatusOr<Operation> DescribeDepthwise(const Node& node);
absl::StatusOr<Operation> DescribeFullyConnected(const Node& node);
absl::StatusOr<Operation> DescribePool(const Node& node);
absl::StatusOr<Operation> DescribeUnary(const Node& node);
absl::StatusOr<Operation> DescribeBinary(const Node& node);
absl::StatusOr<Operation> DescribeSoftmax(const Node& node);

}  // namespace stowage::harness::onednn

#endif  // STOWAGE_SRC_DELEGATES_ONEDNN_OPERATION_H_
