// SPDX-License-Identifier: Apache-2.0
#include "tests/delegates/lone_node.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "stowage/harness/inputs.h"
#include "stowage/harness/tensor.h"

namespace stowage::support {
namespace {

using harness::Tensor;

// Memory that is followed first by `spare` readable bytes and then by a page
// that cannot be accessed.
class PageEndBytes {
 public:
  PageEndBytes(size_t bytes, size_t spare) {
    const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    size_ = (bytes + spare + page - 1) / page * page + page;
    pages_ = mmap(nullptr, size_, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages_ == MAP_FAILED) std::abort();
    auto* const end = static_cast<uint8_t*>(pages_) + size_ - page;
    if (mprotect(end, page, PROT_NONE) != 0) std::abort();
    readable_ = size_ - page;
    data_ = end - spare - bytes;
    // Makes the bytes outside the operands nonzero, because the result must not
    // depend on them.
    std::memset(pages_, 0xA5, readable_);
  }
  ~PageEndBytes() { munmap(pages_, size_); }
  PageEndBytes(const PageEndBytes&) = delete;
  PageEndBytes& operator=(const PageEndBytes&) = delete;

  uint8_t* data() { return data_; }
  void ForbidWriting() { mprotect(pages_, readable_, PROT_READ); }

 private:
  void* pages_;
  size_t size_;
  size_t readable_;
  uint8_t* data_;
};

class LoneContext : public harness::PartitionContext {
 public:
  LoneContext(const RecordedGraph& graph,
              const harness::DelegatePartition& partition, size_t spare_bytes)
      : graph_(graph), partition_(partition), spare_bytes_(spare_bytes) {}

  // Gives new memory to every operand. Keeps the old memory allocated, so that
  // the new memory has different addresses.
  void Place(const harness::PartitionStep& step) {
    tensors_.clear();
    for (const size_t read : step.reads) PlaceTensor(read, true);
    for (const size_t written : step.writes) PlaceTensor(written, false);
  }

  const harness::DelegateGraph& graph() const override { return graph_; }
  const harness::DelegatePartition& partition() const override {
    return partition_;
  }
  size_t step() const override { return 0; }
  absl::StatusOr<const Tensor*> Read(size_t tensor) const override {
    const auto found = tensors_.find(tensor);
    if (found == tensors_.end()) return Undeclared(tensor);
    return &found->second;
  }
  absl::StatusOr<Tensor*> Write(size_t tensor) override {
    const auto found = tensors_.find(tensor);
    if (found == tensors_.end()) return Undeclared(tensor);
    return &found->second;
  }

  // The workspace is followed by a page that cannot be accessed. Only the bytes
  // that round the size up to the alignment are between the workspace and the
  // page.
  absl::StatusOr<size_t> AddWorkspace(size_t bytes, size_t alignment,
                                      size_t /*first_step*/,
                                      size_t /*last_step*/) override {
    const size_t padded = (bytes + alignment - 1) / alignment * alignment;
    workspaces_.emplace_back(std::make_unique<PageEndBytes>(padded, 0), bytes);
    return workspaces_.size() - 1;
  }
  absl::StatusOr<size_t> AddWorkspace(size_t bytes, size_t alignment) override {
    return AddWorkspace(bytes, alignment, 0, 0);
  }
  absl::Span<uint8_t> workspace(size_t i) override {
    return {workspaces_[i].first->data(), workspaces_[i].second};
  }
  absl::Status ResizeOutput(size_t /*tensor*/,
                            const Shape& /*shape*/) override {
    return Unneeded();
  }
  absl::Status MakeOutputDynamic(size_t /*tensor*/) override {
    return Unneeded();
  }
  absl::Status SetBufferHandle(size_t /*tensor*/, int /*handle*/) override {
    return Unneeded();
  }
  int buffer_handle(size_t /*tensor*/) const override { return -1; }
  absl::Status FreeBufferHandle(size_t /*tensor*/) override {
    return Unneeded();
  }
  absl::Status MarkStale(size_t /*tensor*/) override { return Unneeded(); }
  bool is_stale(size_t /*tensor*/) const override { return false; }
  absl::Status CopyToBuffer(size_t /*tensor*/) override { return Unneeded(); }
  harness::ResourceVariables& resources() override { std::abort(); }
  absl::Status InvokeOnce(size_t /*subgraph*/) override { return Unneeded(); }
  harness::MemoryBudget& memory_budget() override { return budget_; }

 private:
  void PlaceTensor(size_t index, bool is_read) {
    if (tensors_.count(index) > 0) return;
    Tensor tensor = graph_.tensor(index);
    auto memory = std::make_unique<PageEndBytes>(tensor.bytes, spare_bytes_);
    if (is_read) {
      std::memcpy(memory->data(), tensor.data, tensor.bytes);
      memory->ForbidWriting();
    }
    tensor.data = memory->data();
    tensors_[index] = tensor;
    memory_.push_back(std::move(memory));
  }

  static absl::Status Undeclared(size_t tensor) {
    return absl::InvalidArgumentError(
        absl::StrCat("the step does not declare tensor ", tensor));
  }
  static absl::Status Unneeded() {
    return absl::UnimplementedError("the test has no use for this");
  }

  const RecordedGraph& graph_;
  const harness::DelegatePartition& partition_;
  size_t spare_bytes_;
  harness::MemoryBudget budget_{0};
  std::map<size_t, Tensor> tensors_;
  std::vector<std::unique_ptr<PageEndBytes>> memory_;
  std::vector<std::pair<std::unique_ptr<PageEndBytes>, size_t>> workspaces_;
};

double FloatDistance(absl::Span<const float> recorded, const float* output) {
  float distance = 0;
  for (size_t i = 0; i < recorded.size(); ++i) {
    if (std::isnan(recorded[i]) && std::isnan(output[i])) continue;
    if (recorded[i] == output[i]) continue;
    const float here = std::abs(recorded[i] - output[i]);
    if (!std::isfinite(here)) return std::numeric_limits<double>::infinity();
    distance = std::max(distance, here);
  }
  return distance;
}

template <typename T>
double StepDistance(const Tensor& recorded, absl::Span<const uint8_t> bytes) {
  int largest = 0;
  for (size_t i = 0; i < bytes.size(); ++i) {
    const int difference = recorded.as<T>()[i] - static_cast<T>(bytes[i]);
    largest = std::max(largest, std::abs(difference));
  }
  return largest;
}

}  // namespace

RecordedGraph::RecordedGraph(const harness::Subgraph& graph,
                             const harness::OperatorResolver& resolver)
    : graph_(graph), resolver_(resolver) {
  for (size_t i = 0; i < graph.spec().operators.size(); ++i) {
    plan_.push_back(static_cast<int>(i));
  }
}

size_t RecordedGraph::Float16Source(size_t tensor) const {
  for (const OperatorSpec& op : spec().operators) {
    if (op.name == "DEQUANTIZE" && op.outputs[0] == tensor &&
        graph_.tensor(op.inputs[0]).is_constant() &&
        graph_.tensor(op.inputs[0]).type == ElementType::kFloat16) {
      return op.inputs[0];
    }
  }
  return kAbsent;
}

absl::StatusOr<std::unique_ptr<harness::Interpreter>> RecordRun(
    const Model& model, uint64_t seed) {
  harness::InterpreterOptions options;
  options.preserve_all_tensors = true;
  auto interpreter = harness::Interpreter::Create(model, options);
  if (!interpreter.ok()) return interpreter.status();
  harness::Subgraph& graph = (*interpreter)->primary();
  harness::InputSource inputs(seed);
  absl::Status status = graph.Allocate();
  if (status.ok()) status = inputs(graph, 0);
  if (status.ok()) status = graph.Invoke();
  if (!status.ok()) return status;
  return interpreter;
}

absl::StatusOr<std::vector<uint8_t>> RunLoneNode(harness::Delegate& delegate,
                                                 const RecordedGraph& graph,
                                                 int node, int times) {
  harness::DelegatePartition partition;
  partition.nodes = {node};
  for (const size_t input : graph.node(node).inputs) {
    if (input != kAbsent) partition.inputs.push_back(input);
  }
  partition.outputs = graph.node(node).outputs;
  auto kernel = delegate.CreateKernel(graph, partition);
  if (!kernel.ok()) return kernel.status();
  std::vector<harness::PartitionStep> steps = (*kernel)->Steps();
  if (steps.empty()) {
    // The partition is opaque.
    steps = {{"", partition.inputs, partition.outputs}};
  }
  if (steps.size() != 1) return absl::InternalError("expected one step");
  LoneContext context(graph, partition, delegate.info().spare_bytes);
  absl::Status status = (*kernel)->Prepare(context);
  std::vector<uint8_t> first;
  for (int i = 0; status.ok() && i < times; ++i) {
    context.Place(steps[0]);
    status = (*kernel)->Invoke(context);
    const absl::StatusOr<Tensor*> output = context.Write(steps[0].writes[0]);
    if (!status.ok() || !output.ok()) break;
    const auto bytes = (*output)->span<uint8_t>();
    std::vector<uint8_t> result(bytes.begin(), bytes.end());
    if (i > 0 && result != first) {
      status = absl::InternalError("runs with moved operands differ");
    }
    first = std::move(result);
  }
  if (!status.ok()) return status;
  return first;
}

double DistanceOf(const Tensor& recorded, absl::Span<const uint8_t> output) {
  if (output.size() != recorded.bytes) {
    return std::numeric_limits<double>::infinity();
  }
  switch (recorded.type) {
    case ElementType::kFloat32:
      return FloatDistance(recorded.span<float>(),
                           reinterpret_cast<const float*>(output.data()));
    case ElementType::kInt8:
      return StepDistance<int8_t>(recorded, output);
    default:
      return StepDistance<uint8_t>(recorded, output);
  }
}

double LargestOf(const Tensor& recorded) {
  float largest = 0;
  for (const float x : recorded.span<float>()) {
    if (std::isfinite(x)) largest = std::max(largest, std::abs(x));
  }
  return largest;
}

}  // namespace stowage::support
