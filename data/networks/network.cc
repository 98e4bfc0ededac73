// SPDX-License-Identifier: Apache-2.0
#include "data/networks/network.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "src/tflite/model_draft.h"
#include "stowage/tflite/element_type.h"

namespace stowage::networks {
namespace {

// The empty buffer of the format, and a buffer with a single byte. A tensor
// that refers to the latter is a constant; the byte stands for its whole
// content.
constexpr uint32_t kNoContent = 0;
constexpr uint32_t kContent = 1;

bool SameKind(const OperatorKind& a, const OperatorKind& b) {
  return a.op == b.op && a.custom_name == b.custom_name;
}

// The table of operator codes, which contains each kind once.
class OperatorCodes {
 public:
  uint32_t IndexOf(const OperatorKind& kind) {
    const auto known =
        std::find_if(kinds_.begin(), kinds_.end(),
                     [&](const auto& other) { return SameKind(kind, other); });
    const auto index = static_cast<uint32_t>(known - kinds_.begin());
    if (known == kinds_.end()) kinds_.push_back(kind);
    return index;
  }

  std::vector<CodeSpec> Drafts() const {
    std::vector<CodeSpec> codes;
    for (const OperatorKind& kind : kinds_) {
      codes.push_back({kind.op, std::string(kind.custom_name)});
    }
    return codes;
  }

 private:
  std::vector<OperatorKind> kinds_;
};

}  // namespace

std::string ToString(absl::Span<const Extent> shape) {
  return absl::StrJoin(shape, "x", [](std::string* out, const Extent& extent) {
    absl::StrAppend(out, extent.ToString());
  });
}

OperatorKind OperatorKind::Custom(absl::string_view name) {
  OperatorKind kind(Op::CUSTOM);
  kind.custom_name = name;
  return kind;
}

absl::string_view OperatorKind::name() const {
  return custom_name.empty() ? tflite::EnumNameBuiltinOperator(op)
                             : custom_name;
}

ElementType Tensor::type() const {
  return network_->tensors_[static_cast<size_t>(index_)].type;
}

Shape Tensor::shape() const {
  return network_->tensors_[static_cast<size_t>(index_)].shape;
}

Extent Tensor::dim(int axis) const {
  const int from_zero = axis < 0 ? axis + rank() : axis;
  if (from_zero < 0 || from_zero >= rank()) return 0;
  return shape()[static_cast<size_t>(from_zero)];
}

Extent Network::Parameter(NetworkParameter parameter) {
  const auto given = values_.find(parameter.name);
  const int64_t value = given == values_.end() ? parameter.max : given->second;
  Extent extent = Extent::Parameter(parameter.name, value);
  parameters_.push_back(std::move(parameter));
  return extent;
}

Extent Network::SizeOf(int tensor) const {
  const TensorInfo& info = tensors_[static_cast<size_t>(tensor)];
  Extent size = static_cast<int64_t>(
      ElementBytes(static_cast<stowage::ElementType>(info.type)));
  for (const Extent& extent : info.shape) size = size * extent;
  return size;
}

const std::string& Network::NameOf(int tensor) const {
  return tensors_[static_cast<size_t>(tensor)].name;
}

Tensor Network::Input(Shape shape, ElementType type) {
  const Tensor tensor =
      AddTensor(absl::StrCat("input_", inputs_.size()), std::move(shape), type);
  inputs_.push_back(tensor.index());
  return tensor;
}

void Network::Output(Tensor tensor) { outputs_.push_back(tensor.index()); }

Tensor Network::Constant(Shape shape, ElementType type) {
  const Tensor tensor = AddTensor(absl::StrCat("constant_", tensors_.size()),
                                  std::move(shape), type);
  tensors_.back().is_constant = true;
  return tensor;
}

Tensor Network::Weights(Shape shape, ElementType type) {
  if (type != ElementType::FLOAT32 || stored_weights_ == type) {
    return Constant(std::move(shape), type);
  }
  const Tensor stored = Constant(shape, stored_weights_);
  return Append(Op::DEQUANTIZE, {stored}, std::move(shape), type);
}

Tensor Network::Append(OperatorKind kind, absl::Span<const Tensor> inputs,
                       Shape shape, ElementType type) {
  return AppendMany(kind, inputs, {std::move(shape)}, type).front();
}

std::vector<Tensor> Network::AppendMany(OperatorKind kind,
                                        absl::Span<const Tensor> inputs,
                                        absl::Span<const Shape> shapes,
                                        ElementType type) {
  OperatorInfo info{kind, {}, {}};
  for (Tensor input : inputs) {
    if (&input.network() != this) Fail(kind, "operand of another network");
    info.inputs.push_back(input.index());
  }
  const std::string name =
      absl::StrCat(absl::AsciiStrToLower(kind.name()), "_", operators_.size());
  std::vector<Tensor> outputs;
  for (const Shape& shape : shapes) {
    outputs.push_back(AddTensor(name, shape, type));
    info.outputs.push_back(outputs.back().index());
  }
  operators_.push_back(std::move(info));
  return outputs;
}

void Network::Fail(OperatorKind kind, absl::string_view mistake) {
  Fail(absl::StrCat("operator ", operators_.size(), " (", kind.name(),
                    "): ", mistake));
}

void Network::Fail(absl::string_view mistake) {
  status_.Update(
      absl::InvalidArgumentError(absl::StrCat(name_, ": ", mistake)));
}

Tensor Network::AddTensor(std::string name, Shape shape, ElementType type) {
  const bool valid = !shape.empty() && std::all_of(shape.begin(), shape.end(),
                                                   [](const Extent& extent) {
                                                     return extent.value() > 0;
                                                   });
  if (!valid) {
    Fail(absl::StrCat("tensor ", tensors_.size(), " (", name,
                      "); expected extents above 0, got '", ToString(shape),
                      "'"));
    shape = {1};
  }
  tensors_.push_back({std::move(name), std::move(shape), type, false});
  return Tensor(this, static_cast<int>(tensors_.size()) - 1);
}

absl::StatusOr<std::string> Network::Serialize() const {
  if (!status_.ok()) return status_;
  if (outputs_.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(name_, ": has no output"));
  }
  ModelSpec model;
  model.description = std::string(name_);
  model.buffers = {{}, {{0}}};
  GraphSpec& graph = model.graphs.emplace_back();
  graph.name = std::string(name_);
  for (const TensorInfo& info : tensors_) {
    std::vector<int32_t> shape;
    for (const Extent& extent : info.shape) {
      shape.push_back(static_cast<int32_t>(extent.value()));
    }
    graph.tensors.push_back({std::move(shape), info.type,
                             info.is_constant ? kContent : kNoContent,
                             info.name});
  }
  OperatorCodes codes;
  for (const OperatorInfo& info : operators_) {
    graph.operators.push_back(
        {codes.IndexOf(info.kind), info.inputs, info.outputs});
  }
  graph.inputs = inputs_;
  graph.outputs = outputs_;
  model.codes = codes.Drafts();
  return Build(model);
}

}  // namespace stowage::networks
