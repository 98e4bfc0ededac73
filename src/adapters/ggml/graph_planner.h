// SPDX-License-Identifier: Apache-2.0
// Plans the compute buffers of ggml: replays the decisions of ggml's graph
// allocator for a graph, and makes a new plan for the addresses of its tensors.
//
// Call PlanGgmlGraph after the allocator itself has planned the graph, and
// write the new addresses and sizes of chunks into the allocator; README.md has
// the patch. To plan records without a graph, use PlanGgmlAllocator
// (chunk_planner.h). For a runtime with one arena, use beside_host.h.
//
//   const auto plan = PlanGgmlGraph(host, *graph, nullptr, nullptr);
//   if (!plan.ok()) return;  // the addresses of ggml stay
//   for (const auto& [tensor, allocator, address] : plan->placements) ...
//
// ggml allocates leafs and inputs before the first node, and then visits the
// nodes in order. At each node, ggml allocates the parents that have no memory
// yet and then the node itself, and frees the tensors that no later node reads.
// Outputs and tensors without readers are never freed. A view is in the memory
// of its source, which is kept until the last reader of the view has run. Some
// operations write their result over a parent; in this case, the node takes
// over the parent's address.
//
// The adapter repeats these decisions and changes only the addresses. Node i of
// the graph is task i. Both ends of an interval are inclusive: a tensor that is
// allocated at node i conflicts with a tensor that is freed after node i.
#ifndef STOWAGE_ADAPTERS_GGML_GRAPH_PLANNER_H_
#define STOWAGE_ADAPTERS_GGML_GRAPH_PLANNER_H_

#include <cstddef>
#include <unordered_map>
#include <utility>
#include <vector>

#include "src/adapters/beside_host.h"
#include "src/adapters/ggml/chunk_planner.h"
#include "stowage/base/optional.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/tensor_size.h"
#include "stowage/usage_record.h"

namespace stowage::adapters {

// A tensor that the host has allocated, and its place in the plan.
template <typename Tensor>
struct GgmlPlacement {
  Tensor* tensor = nullptr;
  int allocator = 0;
  GgmlAddress address;
};

template <typename Tensor>
struct GgmlPlan {
  std::vector<GgmlPlacement<Tensor>> placements;
  std::vector<GgmlAllocatorPlan> allocators;
};

// Repeats the decisions of ggml's graph allocator for one graph. `Host`
// provides the types and functions of ggml that this class needs (for examples,
// see README.md and tests/adapters/ggml_host.h):
//
//   using Tensor, Graph;               // ggml_tensor, ggml_cgraph
//   bool IsInput(const Tensor&), IsOutput(const Tensor&);  // from its flags
//   bool IsNoOp(const Tensor&);        // true if its op is GGML_OP_NONE
//   bool CanInplace(const Tensor&);    // ggml_op_can_inplace(its op)
//   bool HaveSameLayout(const Tensor&, const Tensor&);
//   size_t AllocSize(int buffer, const Tensor&);  // for the type of the buffer
//   int AllocatorOf(int buffer);       // returns numbers that rise from 0
//   int allocator_count();
//   GgmlAllocator Allocator(int allocator);
//   GgmlAddress AddressOf(const Tensor&);  // in the plan of ggml
template <typename Host>
class GgmlReplay {
 public:
  using Tensor = typename Host::Tensor;
  using Graph = typename Host::Graph;

  // A tensor, and the record that has the address of the tensor.
  struct Owner {
    Tensor* tensor = nullptr;
    size_t record = 0;
  };

  // `node_buffers` and `leaf_buffers` have the buffer of each node and of each
  // leaf. If one of them is null, all of its buffers are 0.
  GgmlReplay(const Host& host, const Graph& graph, const int* node_buffers,
             const int* leaf_buffers)
      : host_(host),
        graph_(graph),
        node_buffers_(node_buffers),
        leaf_buffers_(leaf_buffers),
        last_task_(graph.n_nodes > 0 ? Task(graph.n_nodes - 1) : 0) {}

  // Replays the graph. Error: Unimplemented if the host makes a decision that
  // records cannot express, or if sizes do not fit in 64 bits. O(nodes +
  // leafs).
  Status Run() {
    for (int i = 0; i < graph_.n_leafs; ++i) {
      Allocate(graph_.leafs[i], leaf_buffers_ ? leaf_buffers_[i] : 0, 0);
    }
    for (int i = 0; i < graph_.n_nodes; ++i) CountReaders(i);
    for (int i = 0; i < graph_.n_nodes; ++i) {
      Tensor* const node = graph_.nodes[i];
      for (Tensor* const parent : node->src) {
        if (parent != nullptr) Allocate(parent, BufferOf(i), Task(i));
      }
      Allocate(node, BufferOf(i), Task(i));
      for (Tensor* const parent : node->src) {
        if (parent != nullptr) FinishReading(parent, Task(i));
      }
    }
    return status_;
  }

  const std::vector<GgmlRecord>& records() const { return records_; }
  const std::vector<Owner>& owners() const { return owners_; }

 private:
  struct State {
    int readers = 0;
    int views = 0;
    int buffer = 0;
    bool is_placed = false;  // the tensor has or had memory of its own
    bool is_own = false;     // the tensor has memory of its own now
    size_t record = 0;
  };

  static TaskId Task(int node) { return static_cast<TaskId>(node); }
  static bool IsView(const Tensor& tensor) {
    return tensor.view_src != nullptr;
  }
  int BufferOf(int node) const {
    return node_buffers_ != nullptr ? node_buffers_[node] : 0;
  }

  void CountReaders(int i) {
    Tensor* const node = graph_.nodes[i];
    if (IsView(*node) && !host_.IsNoOp(*node)) ++states_[node->view_src].views;
    if (host_.IsInput(*node)) Allocate(node, BufferOf(i), 0);
    for (Tensor* const parent : node->src) {
      if (parent == nullptr) continue;
      ++states_[parent].readers;
      if (host_.IsInput(*parent)) Allocate(parent, BufferOf(i), 0);
    }
  }

  // Allocates memory for a tensor if it has no memory and needs some.
  void Allocate(Tensor* tensor, int buffer, TaskId task) {
    const bool is_external = tensor->data != nullptr || tensor->buffer;
    if (is_external || IsView(*tensor) || states_[tensor].is_own) return;
    if (states_[tensor].is_placed) {
      Refuse("a tensor is allocated again after it was freed");
    }
    states_[tensor].is_placed = true;
    states_[tensor].is_own = true;
    if (!host_.CanInplace(*tensor) || !TakeOverParent(tensor, task)) {
      states_[tensor].buffer = buffer;
      states_[tensor].record = records_.size();
      AddRecord(PaddedSize(buffer, *tensor), task, host_.AllocatorOf(buffer),
                records_.size());
    }
    owners_.push_back({tensor, states_[tensor].record});
  }

  // Gives `node` the memory of the first suitable parent, and returns whether
  // there is one. A suitable parent has the layout of the node and memory of
  // its own (it is not a view), and no other tensor needs this memory after
  // `node`.
  bool TakeOverParent(Tensor* node, TaskId task) {
    for (Tensor* const parent : node->src) {
      if (parent == nullptr) continue;
      State& old = states_[parent];
      if (!old.is_own || host_.IsOutput(*parent) ||
          !host_.HaveSameLayout(*node, *parent) || old.readers != 1 ||
          old.views != 0) {
        continue;
      }
      old.is_own = false;
      State& state = states_[node];
      state.buffer = old.buffer;
      state.record = old.record;
      Shrink(*parent, *node, task, &state);
      return true;
    }
    return false;
  }

  // Shrinks the memory that `node` has taken over to the size of the node. The
  // bytes of the parent beyond this size are free after `task`.
  void Shrink(const Tensor& parent, const Tensor& node, TaskId task,
              State* state) {
    const size_t old_size = PaddedSize(state->buffer, parent);
    const size_t size = PaddedSize(state->buffer, node);
    if (size > old_size) {
      Refuse("a node takes over a parent that is smaller");
    }
    if (size >= old_size || task >= last_task_) return;
    records_[state->record].usage.last_task = task;
    const GgmlRecord old = records_[state->record];
    state->record = records_.size();
    AddRecord(size, task + 1, old.allocator, old.base);
  }

  void FinishReading(Tensor* parent, TaskId task) {
    State& state = states_[parent];
    --state.readers;
    if (state.readers != 0 || state.views != 0) return;
    Tensor* owner = parent;
    if (IsView(*parent)) {
      owner = parent->view_src;
      --states_[owner].views;
    }
    State& owned = states_[owner];
    if (owned.readers != 0 || owned.views != 0 || !owned.is_own) return;
    if (host_.IsOutput(*owner)) return;
    records_[owned.record].usage.last_task = task;
    owned.is_own = false;
  }

  void AddRecord(size_t size, TaskId task, int allocator, size_t base) {
    records_.push_back({{size, task, last_task_}, allocator, base});
  }

  size_t PaddedSize(int buffer, const Tensor& tensor) {
    const size_t alignment =
        host_.Allocator(host_.AllocatorOf(buffer)).alignment;
    const optional<size_t> size =
        CheckedAlignUp(host_.AllocSize(buffer, tensor), alignment);
    if (!size) Refuse("a tensor has more than 2^64 - 1 bytes");
    return size.value_or(0);
  }

  // Records the first refusal and ignores later ones. The replay continues
  // after a refusal, which is harmless because its length is bounded.
  void Refuse(const char* what) {
    if (status_.ok()) status_ = UnimplementedError(what);
  }

  const Host& host_;
  const Graph& graph_;
  const int* node_buffers_;
  const int* leaf_buffers_;
  TaskId last_task_;
  std::unordered_map<const Tensor*, State> states_;  // is never iterated
  std::vector<GgmlRecord> records_;
  std::vector<Owner> owners_;
  Status status_;
};

namespace internal {

// Returns the host's address of each record. Error: FailedPrecondition if the
// tensors of one record have different addresses, which means that the
// decisions of the host differ from those of the replay.
template <typename Host>
StatusOr<std::vector<GgmlAddress>> HostAddresses(
    const Host& host, const GgmlReplay<Host>& replay) {
  std::vector<GgmlAddress> addresses(replay.records().size(),
                                     GgmlAddress{-1, 0});
  for (const auto& [tensor, record] : replay.owners()) {
    const GgmlAddress address = host.AddressOf(*tensor);
    // The base of a record precedes the record in the list, so the address of
    // the base has already been set.
    const size_t base = replay.records()[record].base;
    if (addresses[record].chunk < 0) addresses[record] = address;
    if (!(addresses[record] == address) || !(addresses[base] == address)) {
      return FailedPreconditionError(
          "the host has not placed a node at the parent that it takes over; "
          "expected the decisions of ggml_gallocr_allocate_node");
    }
  }
  return addresses;
}

}  // namespace internal

// Plans all tensors that ggml allocates for `graph`. Requires that ggml has
// already planned `graph`, which is not changed. `node_buffers` and
// `leaf_buffers` have the buffer of each node and of each leaf; null means that
// all buffers are 0. The plan lists every tensor that has memory of its own, in
// the order in which ggml allocates them.
//
// Errors: those of GgmlReplay::Run and PlanGgmlAllocator; FailedPrecondition if
// the decisions of ggml differ from those of the replay. After an error, the
// caller should keep the addresses of ggml.
template <typename Host>
StatusOr<GgmlPlan<typename Host::Tensor>> PlanGgmlGraph(
    const Host& host, const typename Host::Graph& graph,
    const int* node_buffers, const int* leaf_buffers,
    const BesideHostOptions& options = {}) {
  GgmlReplay<Host> replay(host, graph, node_buffers, leaf_buffers);
  if (Status s = replay.Run(); !s.ok()) return s;
  const StatusOr<std::vector<GgmlAddress>> host_addresses =
      internal::HostAddresses(host, replay);
  if (!host_addresses.ok()) return host_addresses.status();

  GgmlPlan<typename Host::Tensor> plan;
  std::vector<GgmlAddress> addresses = *host_addresses;
  for (int a = 0; a < host.allocator_count(); ++a) {
    std::vector<size_t> indices;
    std::vector<GgmlRecord> records;
    std::vector<GgmlAddress> places;
    std::vector<size_t> new_index(addresses.size());
    for (size_t i = 0; i < addresses.size(); ++i) {
      GgmlRecord record = replay.records()[i];
      if (record.allocator != a) continue;
      new_index[i] = records.size();
      record.base = new_index[record.base];
      indices.push_back(i);
      records.push_back(record);
      places.push_back(addresses[i]);
    }
    StatusOr<GgmlAllocatorPlan> part =
        PlanGgmlAllocator(host.Allocator(a), records, places, options);
    if (!part.ok()) return part.status();
    for (size_t i = 0; i < indices.size(); ++i) {
      addresses[indices[i]] = part->addresses[i];
    }
    plan.allocators.push_back(*std::move(part));
  }
  for (const auto& [tensor, record] : replay.owners()) {
    plan.placements.push_back(
        {tensor, replay.records()[record].allocator, addresses[record]});
  }
  return plan;
}

}  // namespace stowage::adapters

#endif  // STOWAGE_ADAPTERS_GGML_GRAPH_PLANNER_H_
