// SPDX-License-Identifier: Apache-2.0
#include "stowage/tflm/micro_device.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "model_schema/model_generated.h"
#include "src/tflm/micro_kernels.h"
#include "stowage/micro/arena.h"
#include "stowage/micro/status.h"
#include "stowage/tflite/model.h"
#include "stowage/tflm/micro_arena.h"
#include "stowage/tflm/micro_trace.h"

namespace stowage {

struct MicroStructs {
  size_t pointer;
  // The members from `arena` to `resource` are the sizes of the allocator's own
  // objects.
  size_t arena;
  size_t recording_arena;
  size_t planner;
  size_t allocator;
  size_t recording_allocator;
  size_t options_allocator;
  size_t resource_table;
  size_t resource;
  // The members from `subgraph` on are the sizes of structs that occur several
  // times in a model.
  size_t subgraph;
  size_t eval_tensor;
  size_t node;
  size_t request;
  size_t allocation_info;
  size_t tensor;
  size_t quantization;
};

namespace {

// The 32-bit sizes follow the ABI of Arm's embedded compilers.
constexpr MicroStructs kStructs64 = {8,  72, 104, 72, 72, 248, 16, 16,
                                     40, 16, 24,  64, 16, 32,  64, 24};
constexpr MicroStructs kStructs32 = {4,  36, 52, 44, 36, 124, 8,  12,
                                     20, 8,  12, 32, 12, 24,  32, 12};

// The maximum number of scratch buffers that an operator may request.
constexpr size_t kRequestsPerOperator = 12;

constexpr size_t kIntBytes = 4;

// Converts a size to the 32-bit sizes of the arena. A size that does not fit
// becomes the maximum, which the arena never grants.
uint32_t Narrow(size_t bytes) {
  return bytes > UINT32_MAX ? UINT32_MAX : static_cast<uint32_t>(bytes);
}

// Returns the name of the resource for each tensor that is a handle to a
// resource.
std::map<size_t, std::string> ResourcesOf(const SubgraphSpec& graph) {
  constexpr int kType =
      static_cast<int>(tflite::BuiltinOptions::VarHandleOptions);
  std::map<size_t, std::string> names;
  for (const OperatorSpec& op : graph.operators) {
    if (!OutputIsHandle(op) || op.outputs.empty() || op.outputs[0] == kAbsent ||
        op.options == nullptr || op.options_type != kType) {
      continue;
    }
    const auto* options =
        static_cast<const tflite::VarHandleOptions*>(op.options);
    const auto text = [](const flatbuffers::String* name) {
      return name == nullptr ? std::string() : name->str();
    };
    names[op.outputs[0]] = absl::StrCat(text(options->container()), "/",
                                        text(options->shared_name()));
  }
  return names;
}

size_t ResourceCount(const Model& model) {
  std::set<std::string> names;
  for (const SubgraphSpec& graph : model.subgraphs()) {
    for (const auto& [tensor, name] : ResourcesOf(graph)) names.insert(name);
  }
  return names.size();
}

bool IsConvolution(const OperatorSpec& op) {
  return !op.is_custom &&
         (op.name == "CONV_2D" || op.name == "DEPTHWISE_CONV_2D" ||
          op.name == "TRANSPOSE_CONV");
}

}  // namespace

size_t MicroPhase::arena_bytes() const {
  return (front_bytes + tail_bytes + kMicroAlignment - 1) / kMicroAlignment *
         kMicroAlignment;
}

MicroDevice::MicroDevice(void* memory, size_t bytes,
                         const MicroArenaOptions& options)
    : options_(options),
      structs_(options.word == MicroWord::k64 ? kStructs64 : kStructs32) {
  // If the memory cannot be used, the arena has a size of 0, so it rejects all
  // requests.
  if (stowage_micro_arena_init(&arena_, memory, Narrow(bytes),
                               STOWAGE_MICRO_ARENA_SINGLE) !=
      STOWAGE_MICRO_OK) {
    static uint8_t nothing = 0;
    stowage_micro_arena_init(&arena_, &nothing, 0, STOWAGE_MICRO_ARENA_SINGLE);
  }
}

absl::Status MicroDevice::Refuse(absl::string_view step, size_t bytes) const {
  return absl::ResourceExhaustedError(absl::StrCat(
      "arena: ", arena_.size, " bytes are too few for ", bytes, " bytes of ",
      step, " beside ", stowage_micro_arena_used_bytes(&arena_),
      " in use; expected a larger arena"));
}

absl::StatusOr<uint8_t*> MicroDevice::Keep(MicroCategory category, size_t bytes,
                                           size_t alignment) {
  return KeepArray(category, 1, bytes, alignment);
}

absl::StatusOr<uint8_t*> MicroDevice::KeepArray(MicroCategory category,
                                                size_t elements,
                                                size_t element_bytes,
                                                size_t alignment) {
  stowage_micro_arena_tally& tally = tallies_[static_cast<size_t>(category)];
  stowage_micro_arena_record(&arena_, &tally);
  const size_t bytes = elements * element_bytes;
  void* const kept = elements > UINT32_MAX || element_bytes > UINT32_MAX
                         ? nullptr
                         : stowage_micro_arena_persistent(
                               &arena_, Narrow(bytes), Narrow(alignment));
  if (kept == nullptr) return Refuse(MicroCategoryName(category), bytes);
  tally.count += static_cast<uint32_t>(elements) - 1;
  return static_cast<uint8_t*>(kept);
}

absl::StatusOr<uint8_t*> MicroDevice::Borrow(size_t bytes, size_t alignment) {
  void* const borrowed =
      stowage_micro_arena_temp(&arena_, Narrow(bytes), Narrow(alignment));
  if (borrowed == nullptr) return Refuse("temporary memory", bytes);
  borrowed_.push_back(static_cast<uint8_t*>(borrowed));
  return borrowed_.back();
}

absl::Status MicroDevice::ReturnAll() {
  stowage_micro_status status = STOWAGE_MICRO_OK;
  for (const uint8_t* temporary : borrowed_) {
    if (status != STOWAGE_MICRO_OK) break;
    status = stowage_micro_arena_free_temp(&arena_, temporary);
  }
  borrowed_.clear();
  if (status == STOWAGE_MICRO_OK) {
    status = stowage_micro_arena_reset_temps(&arena_);
  }
  return status == STOWAGE_MICRO_OK
             ? absl::OkStatus()
             : absl::InternalError(absl::StrCat(
                   "arena: status ", static_cast<int>(status),
                   " when temporaries are freed; expected none in use"));
}

MicroPhase MicroDevice::Now() const {
  return {stowage_micro_arena_nonpersistent_bytes(&arena_),
          stowage_micro_arena_persistent_bytes(&arena_)};
}

absl::Status MicroDevice::MakeAllocator() {
  std::vector<size_t> objects = {options_.records ? structs_.recording_arena
                                                  : structs_.arena};
  if (options_.makes_planner) objects.push_back(structs_.planner);
  objects.push_back(options_.records ? structs_.recording_allocator
                                     : structs_.allocator);
  for (const size_t bytes : objects) {
    const auto kept = Keep(MicroCategory::kAllocators, bytes, structs_.pointer);
    if (!kept.ok()) return kept.status();
  }
  has_allocator_ = true;
  return absl::OkStatus();
}

// Allocates the resource table of a model. Each model has a separate table.
absl::Status MicroDevice::MakeResources(const Model& model) {
  resources_.clear();
  const size_t count = ResourceCount(model);
  if (count == 0) return absl::OkStatus();
  const size_t resources = options_.resource_variables.value_or(count);
  for (const size_t bytes :
       {structs_.resource_table, resources * structs_.resource}) {
    const auto kept =
        Keep(MicroCategory::kPersistentBuffers, bytes, kMicroAlignment);
    if (!kept.ok()) return kept.status();
  }
  return absl::OkStatus();
}

absl::Status MicroDevice::Start(const Model& model) {
  const auto allocator = Keep(MicroCategory::kAllocators,
                              structs_.options_allocator, structs_.pointer);
  if (!allocator.ok()) return allocator.status();
  requests_ = 0;
  const size_t request_bytes = kRequestsPerOperator * structs_.request;
  void* const head = stowage_micro_arena_allocate_resizable(
      &arena_, Narrow(request_bytes), Narrow(structs_.pointer));
  if (head == nullptr) return Refuse("scratch requests", request_bytes);
  requests_at_ = static_cast<uint8_t*>(head);
  const auto graphs =
      KeepArray(MicroCategory::kSubgraphs, model.subgraphs().size(),
                structs_.subgraph, structs_.pointer);
  if (!graphs.ok()) return graphs.status();
  for (const SubgraphSpec& graph : model.subgraphs()) {
    const auto tensors =
        KeepArray(MicroCategory::kEvalTensors, graph.tensors.size(),
                  structs_.eval_tensor, structs_.pointer);
    if (!tensors.ok()) return tensors.status();
  }
  for (const SubgraphSpec& graph : model.subgraphs()) {
    const auto nodes = KeepArray(MicroCategory::kNodes, graph.operators.size(),
                                 structs_.node, structs_.pointer);
    if (!nodes.ok()) return nodes.status();
  }
  return absl::OkStatus();
}

absl::Status MicroDevice::ParseOperators(const Model& model) {
  std::set<std::string> unknown(report_.unknown_operators.begin(),
                                report_.unknown_operators.end());
  for (const SubgraphSpec& graph : model.subgraphs()) {
    for (const OperatorSpec& op : graph.operators) {
      const MicroKernel kernel = MicroKernelOf(graph, op, options_.word);
      if (!kernel.is_known) unknown.insert(op.TypeText());
      if (kernel.options_bytes == 0) continue;
      const auto options = Keep(MicroCategory::kOptions, kernel.options_bytes,
                                kernel.options_alignment);
      if (!options.ok()) return options.status();
    }
  }
  report_.unknown_operators.assign(unknown.begin(), unknown.end());
  return absl::OkStatus();
}

absl::Status MicroDevice::InitOperators(const Model& model) {
  for (const SubgraphSpec& graph : model.subgraphs()) {
    for (const OperatorSpec& op : graph.operators) {
      const size_t bytes = MicroKernelOf(graph, op, options_.word).data_bytes;
      if (bytes == 0) continue;
      const auto data =
          Keep(MicroCategory::kPersistentBuffers, bytes, kMicroAlignment);
      if (!data.ok()) return data.status();
    }
  }
  return absl::OkStatus();
}

// Allocates temporary descriptions of the tensors that a kernel reads in
// Prepare. Convolution kernels request each description twice. The memory can
// be reused only after Prepare.
absl::Status MicroDevice::BorrowTensors(const SubgraphSpec& graph,
                                        const OperatorSpec& op) {
  for (int look = 0; look < (IsConvolution(op) ? 2 : 1); ++look) {
    for (const std::vector<size_t>* ends : {&op.inputs, &op.outputs}) {
      for (const size_t t : *ends) {
        if (t == kAbsent) continue;
        auto borrowed = Borrow(structs_.tensor, structs_.pointer);
        const size_t scales = graph.tensors[t].quantization.scales.size();
        if (borrowed.ok() && scales > 0) {
          borrowed = Borrow(structs_.quantization, structs_.pointer);
          if (borrowed.ok()) {
            borrowed = Borrow((scales + 1) * kIntBytes, kIntBytes);
          }
        }
        if (!borrowed.ok()) return borrowed.status();
      }
    }
  }
  return absl::OkStatus();
}

// Allocates the memory of a resource at the first operator that assigns to it.
absl::Status MicroDevice::KeepResource(
    const SubgraphSpec& graph, const OperatorSpec& op,
    const std::map<size_t, std::string>& resources) {
  if (op.is_custom || op.name != "ASSIGN_VARIABLE" || op.inputs.size() < 2 ||
      op.inputs[1] == kAbsent) {
    return absl::OkStatus();
  }
  const auto resource = resources.find(op.inputs[0]);
  if (resource == resources.end() ||
      !resources_.insert(resource->second).second) {
    return absl::OkStatus();
  }
  return Keep(MicroCategory::kPersistentBuffers,
              MicroTensorBytes(graph.tensors[op.inputs[1]]), kMicroAlignment)
      .status();
}

absl::Status MicroDevice::ResizeRequests() {
  const size_t bytes = (requests_ + kRequestsPerOperator) * structs_.request;
  return stowage_micro_arena_resize(&arena_, requests_at_, Narrow(bytes),
                                    Narrow(structs_.pointer)) ==
                 STOWAGE_MICRO_OK
             ? absl::OkStatus()
             : Refuse("scratch requests", bytes);
}

absl::Status MicroDevice::PrepareOperators(const Model& model) {
  for (size_t g = 0; g < model.subgraphs().size(); ++g) {
    const SubgraphSpec& graph = model.subgraphs()[g];
    const std::map<size_t, std::string> resources = ResourcesOf(graph);
    for (size_t i = 0; i < graph.operators.size(); ++i) {
      const OperatorSpec& op = graph.operators[i];
      const MicroKernel kernel = MicroKernelOf(graph, op, options_.word);
      absl::Status status = BorrowTensors(graph, op);
      if (status.ok()) status = KeepResource(graph, op, resources);
      for (const size_t bytes : kernel.prepared) {
        if (!status.ok()) break;
        status = Keep(MicroCategory::kPersistentBuffers, bytes, kMicroAlignment)
                     .status();
      }
      const MicroPhase now = Now();
      if (now.arena_bytes() > report_.preparing.arena_bytes()) {
        report_.preparing = now;
        report_.preparing_subgraph = g;
        report_.preparing_operator = i;
      }
      requests_ += kernel.scratch.size();
      if (status.ok()) status = ReturnAll();
      if (status.ok()) status = ResizeRequests();
      if (!status.ok()) return status;
    }
  }
  return absl::OkStatus();
}

absl::Status MicroDevice::KeepVariables(const Model& model,
                                        absl::Span<const MicroBuffer> buffers,
                                        MicroPlaces* places) {
  std::set<std::pair<size_t, size_t>> in_head;
  for (const MicroBuffer& buffer : buffers) {
    in_head.insert({buffer.subgraph, buffer.tensor});
  }
  for (size_t g = 0; g < model.subgraphs().size(); ++g) {
    const SubgraphSpec& graph = model.subgraphs()[g];
    for (size_t t = 0; t < graph.tensors.size(); ++t) {
      if (!graph.tensors[t].is_variable || in_head.count({g, t}) > 0) continue;
      const auto kept =
          Keep(MicroCategory::kVariables, MicroTensorBytes(graph.tensors[t]),
               kMicroAlignment);
      if (!kept.ok()) return kept.status();
      places->variables[{g, t}] = *kept;
    }
  }
  return absl::OkStatus();
}

absl::Status MicroDevice::Plan(const Model& model,
                               absl::Span<const MicroBuffer> buffers,
                               MicroPlanner plan, MicroPlaces* places) {
  if (requests_ > 0) {
    const auto handles = Keep(MicroCategory::kScratchHandles,
                              requests_ * structs_.pointer, structs_.pointer);
    if (!handles.ok()) return handles.status();
  }
  // The planner needs temporary memory: a list of the positions at which the
  // tensors of each subgraph begin, and a description of each tensor and of
  // each request. Tensors that are not planned have a description as well.
  auto borrowed =
      Borrow(model.subgraphs().size() * structs_.pointer, structs_.pointer);
  if (borrowed.ok()) {
    borrowed =
        Borrow((model.tensor_count() + requests_) * structs_.allocation_info,
               structs_.pointer);
  }
  if (!borrowed.ok()) return borrowed.status();
  absl::Status status = KeepVariables(model, buffers, places);
  if (!status.ok()) return status;
  const size_t workspace_bytes = buffers.size() * options_.workspace_per_buffer;
  const auto workspace = Borrow(workspace_bytes, kMicroAlignment);
  if (!workspace.ok()) return workspace.status();
  const MicroPhase now = Now();
  if (now.arena_bytes() > report_.planning.arena_bytes()) {
    report_.planning = now;
  }
  const absl::StatusOr<size_t> head = plan(*workspace, workspace_bytes);
  if (!head.ok()) return head.status();
  status = ReturnAll();
  if (!status.ok()) return status;
  stowage_micro_arena_free_resizable(&arena_, requests_at_);
  largest_head_ = std::max(largest_head_, *head);
  report_.head_bytes = largest_head_;
  if (stowage_micro_arena_reserve_overlay(&arena_, Narrow(largest_head_),
                                          kMicroAlignment) !=
      STOWAGE_MICRO_OK) {
    return Refuse("the head", largest_head_);
  }
  places->head =
      static_cast<uint8_t*>(stowage_micro_arena_overlay_address(&arena_));
  return absl::OkStatus();
}

absl::Status MicroDevice::KeepTensor(const TensorSpec& tensor) {
  auto kept = Keep(MicroCategory::kPersistentTensors, structs_.tensor,
                   structs_.pointer);
  const size_t scales = tensor.quantization.scales.size();
  if (kept.ok() && scales > 0) {
    kept = Keep(MicroCategory::kPersistentQuantization, structs_.quantization,
                structs_.pointer);
    if (kept.ok()) {
      kept = Keep(MicroCategory::kPersistentQuantization,
                  (scales + 1) * kIntBytes, kIntBytes);
    }
  }
  return kept.status();
}

absl::Status MicroDevice::KeepEnds(const Model& model) {
  const SubgraphSpec& graph = model.subgraphs()[0];
  for (const std::vector<size_t>* ends : {&graph.inputs, &graph.outputs}) {
    const auto handles = Keep(MicroCategory::kPersistentBuffers,
                              ends->size() * structs_.pointer, kMicroAlignment);
    if (!handles.ok()) return handles.status();
    for (const size_t t : *ends) {
      absl::Status status = KeepTensor(graph.tensors[t]);
      if (!status.ok()) return status;
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<MicroPlaces> MicroDevice::Allocate(
    const Model& model, absl::Span<const MicroBuffer> buffers,
    MicroPlanner plan) {
  MicroPlaces places;
  absl::Status status;
  if (!has_allocator_) status = MakeAllocator();
  if (status.ok()) status = MakeResources(model);
  if (status.ok()) status = Start(model);
  if (status.ok()) status = ParseOperators(model);
  if (status.ok()) status = InitOperators(model);
  if (status.ok()) status = PrepareOperators(model);
  if (status.ok()) status = Plan(model, buffers, plan, &places);
  if (status.ok()) status = KeepEnds(model);
  if (!status.ok()) return status;
  report_.buffers = buffers.size();
  report_.running = Now();
  report_.tail_bytes = report_.running.tail_bytes;
  report_.tail.clear();
  for (const stowage_micro_arena_tally& tally : tallies_) {
    report_.tail.push_back({tally.requested, tally.used, tally.count});
  }
  report_.peak_bytes = required_bytes();
  return places;
}

}  // namespace stowage
