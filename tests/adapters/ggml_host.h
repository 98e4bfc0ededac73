// SPDX-License-Identifier: Apache-2.0
// Provides a host for tests of the adapter for ggml. Declares the parts of
// ggml's tensors and graphs that the adapter uses, and implements the planning
// rule of ggml's graph allocator.
//
// If STOWAGE_GGML_HEADERS is set, the types come from ggml's own headers. The
// implementation of the rule is always our own.
#ifndef STOWAGE_TESTS_ADAPTERS_GGML_HOST_H_
#define STOWAGE_TESTS_ADAPTERS_GGML_HOST_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <vector>

#include "src/adapters/ggml/graph_planner.h"

#ifdef STOWAGE_GGML_HEADERS
#include "ggml-impl.h"
#include "ggml.h"
#else
constexpr int GGML_MAX_DIMS = 4;
constexpr int GGML_MAX_SRC = 10;

enum ggml_type { GGML_TYPE_F32 = 0 };
enum ggml_op { GGML_OP_NONE = 0, GGML_OP_ADD, GGML_OP_MUL_MAT, GGML_OP_VIEW };
enum ggml_tensor_flag { GGML_TENSOR_FLAG_INPUT = 1, GGML_TENSOR_FLAG_OUTPUT };

struct ggml_backend_buffer;

struct ggml_tensor {
  ggml_type type;
  ggml_backend_buffer* buffer;
  int64_t ne[GGML_MAX_DIMS];
  size_t nb[GGML_MAX_DIMS];
  ggml_op op;
  int32_t flags;
  ggml_tensor* src[GGML_MAX_SRC];
  ggml_tensor* view_src;
  size_t view_offs;
  void* data;
};

struct ggml_cgraph {
  int n_nodes;
  int n_leafs;
  ggml_tensor** nodes;
  ggml_tensor** leafs;
};

inline bool ggml_op_can_inplace(ggml_op op) { return op == GGML_OP_ADD; }

inline bool ggml_are_same_layout(const ggml_tensor* a, const ggml_tensor* b) {
  return a->type == b->type && std::equal(a->ne, a->ne + 4, b->ne) &&
         std::equal(a->nb, a->nb + 4, b->nb);
}
#endif

namespace stowage::adapters {

// Models the memory of one allocator as lists of free blocks, one for each
// chunk.
class HostMemory {
 public:
  explicit HostMemory(GgmlAllocator allocator) : allocator_(allocator) {}

  const GgmlAllocator& allocator() const { return allocator_; }
  const std::vector<size_t>& chunk_sizes() const { return chunk_sizes_; }

  size_t total() const {
    size_t sum = 0;
    for (const size_t size : chunk_sizes_) sum += size;
    return sum;
  }

  GgmlAddress Allocate(size_t size) {
    size = AlignUp(size, allocator_.alignment);
    Choice choice = SmallestInnerBlock(size);
    if (choice.chunk == kNone) choice = BestLastBlock(size);
    if (choice.chunk == kNone) choice = NewChunk(size);
    std::vector<Block>& blocks = free_[choice.chunk];
    const GgmlAddress address = {static_cast<int>(choice.chunk),
                                 blocks[choice.block].begin};
    blocks[choice.block].begin += size;
    if (blocks[choice.block].size() == 0) {
      blocks.erase(blocks.begin() + static_cast<ptrdiff_t>(choice.block));
    }
    size_t& chunk_size = chunk_sizes_[choice.chunk];
    chunk_size = std::max(chunk_size, address.offset + size);
    return address;
  }

  void Free(GgmlAddress address, size_t size) {
    size = AlignUp(size, allocator_.alignment);
    std::vector<Block>& blocks = free_[static_cast<size_t>(address.chunk)];
    blocks.push_back({address.offset, address.offset + size});
    std::sort(blocks.begin(), blocks.end(),
              [](const Block& a, const Block& b) { return a.begin < b.begin; });
    std::vector<Block> merged;
    for (const Block& block : blocks) {
      if (!merged.empty() && merged.back().end == block.begin) {
        merged.back().end = block.end;
      } else {
        merged.push_back(block);
      }
    }
    blocks = merged;
  }

 private:
  static constexpr size_t kNone = std::numeric_limits<size_t>::max();

  struct Block {
    size_t begin = 0;
    size_t end = 0;
    size_t size() const { return end - begin; }
  };
  struct Choice {
    size_t chunk = kNone;
    size_t block = 0;
  };

  // Returns the smallest block that fits, among the blocks that are not the
  // last one of their chunk. On ties, returns the block in the last chunk.
  Choice SmallestInnerBlock(size_t size) const {
    Choice choice;
    for (size_t c = 0; c < free_.size(); ++c) {
      size_t smallest = kNone;
      for (size_t b = 0; b + 1 < free_[c].size(); ++b) {
        const size_t available = free_[c][b].size();
        if (available < size || available > smallest) continue;
        smallest = available;
        choice = {c, b};
      }
    }
    return choice;
  }

  // Chooses among the last blocks of all chunks. If the tensor fits some chunks
  // without enlarging them, returns the block that leaves the fewest bytes of
  // its chunk. Otherwise returns the block that enlarges its chunk the least.
  Choice BestLastBlock(size_t size) const {
    Choice choice;
    int64_t best = std::numeric_limits<int64_t>::min();
    for (size_t c = 0; c < free_.size(); ++c) {
      if (free_[c].empty() || free_[c].back().size() < size) continue;
      const auto left =
          static_cast<int64_t>(chunk_sizes_[c] - free_[c].back().begin - size);
      const bool grows_less = best < 0 && left > best;
      const bool leaves_less = left >= 0 && left < best;
      if (!grows_less && !leaves_less) continue;
      best = left;
      choice = {c, free_[c].size() - 1};
    }
    return choice;
  }

  // The last of the 16 chunks has no limit.
  Choice NewChunk(size_t size) {
    constexpr size_t kEndless = std::numeric_limits<size_t>::max() / 2;
    const bool is_last = free_.size() + 1 == kGgmlMaxChunks;
    const size_t limit = std::min(allocator_.max_chunk_size, kEndless);
    free_.push_back({{0, is_last ? kEndless : std::max(size, limit)}});
    chunk_sizes_.push_back(0);
    return {free_.size() - 1, 0};
  }

  GgmlAllocator allocator_;
  std::vector<std::vector<Block>> free_;
  std::vector<size_t> chunk_sizes_;
};

// Returns the addresses that the model assigns to these records, without a
// graph.
inline std::vector<GgmlAddress> HostAddressesOf(
    const std::vector<GgmlRecord>& records, HostMemory* memory) {
  std::vector<GgmlAddress> addresses(records.size());
  std::map<TaskId, std::vector<size_t>> begins;
  std::map<TaskId, std::vector<size_t>> ends;
  std::map<TaskId, bool> tasks;
  for (size_t i = 0; i < records.size(); ++i) {
    begins[records[i].usage.first_task].push_back(i);
    ends[records[i].usage.last_task].push_back(i);
    tasks[records[i].usage.first_task] = true;
    tasks[records[i].usage.last_task] = true;
  }
  for (const auto& task : tasks) {
    for (const size_t i : begins[task.first]) {
      addresses[i] = memory->Allocate(records[i].usage.tensor_size);
    }
    for (const size_t i : ends[task.first]) {
      memory->Free(addresses[i], records[i].usage.tensor_size);
    }
  }
  return addresses;
}

// A graph with its tensors, which implements the functions of the host that the
// adapter calls. Tensors are one-dimensional lists of 4-byte elements.
class GgmlHost {
 public:
  using Tensor = ggml_tensor;
  using Graph = ggml_cgraph;

  // `buffers` maps each buffer to its allocator.
  explicit GgmlHost(std::vector<GgmlAllocator> allocators = {{32, 1u << 30}},
                    std::vector<int> buffers = {0})
      : allocators_(allocators), buffers_(buffers) {
    Reset();
  }

  // The adapter calls the following functions.
  bool IsInput(const Tensor& t) const {
    return (t.flags & GGML_TENSOR_FLAG_INPUT) != 0;
  }
  bool IsOutput(const Tensor& t) const {
    return (t.flags & GGML_TENSOR_FLAG_OUTPUT) != 0;
  }
  bool IsNoOp(const Tensor& t) const { return t.op == GGML_OP_NONE; }
  bool CanInplace(const Tensor& t) const { return ggml_op_can_inplace(t.op); }
  bool HaveSameLayout(const Tensor& a, const Tensor& b) const {
    return ggml_are_same_layout(&a, &b);
  }
  // Some backends pad the results of some operations.
  size_t AllocSize(int /*buffer*/, const Tensor& t) const {
    return t.nb[3] * static_cast<size_t>(t.ne[3]) +
           (t.op == GGML_OP_MUL_MAT ? 40 : 0);
  }
  int AllocatorOf(int buffer) const {
    return buffers_[static_cast<size_t>(buffer)];
  }
  int allocator_count() const { return static_cast<int>(allocators_.size()); }
  GgmlAllocator Allocator(int a) const {
    return allocators_[static_cast<size_t>(a)];
  }
  GgmlAddress AddressOf(const Tensor& t) const {
    return states_.at(&t).address;
  }

  // Add tensors. A node is in buffer 0 unless the caller names another buffer.
  Tensor* Leaf(size_t elements, bool is_external = false) {
    Tensor* const leaf = New(elements);
    if (is_external) leaf->data = leaf;
    leafs_.push_back(leaf);
    leaf_buffers_.push_back(0);
    return leaf;
  }
  Tensor* Node(ggml_op op, size_t elements, const std::vector<Tensor*>& sources,
               int buffer = 0) {
    Tensor* const node = New(elements);
    node->op = op;
    std::copy(sources.begin(), sources.end(), node->src);
    nodes_.push_back(node);
    node_buffers_.push_back(buffer);
    return node;
  }
  Tensor* View(Tensor* of) {
    Tensor* const view =
        Node(GGML_OP_VIEW, static_cast<size_t>(of->ne[0]), {of});
    view->view_src = of->view_src != nullptr ? of->view_src : of;
    return view;
  }
  static void Flag(Tensor* tensor, int flag) { tensor->flags |= flag; }

  const std::vector<Tensor*>& nodes() const { return nodes_; }
  const std::vector<Tensor*>& leafs() const { return leafs_; }
  const std::vector<int>& node_buffers() const { return node_buffers_; }
  std::vector<HostMemory>& memories() { return memories_; }
  Graph graph() {
    Graph graph = {};
    graph.n_nodes = static_cast<int>(nodes_.size());
    graph.n_leafs = static_cast<int>(leafs_.size());
    graph.nodes = nodes_.data();
    graph.leafs = leafs_.data();
    return graph;
  }

  // Plans the graph as ggml does.
  void PlanAsHost() {
    Reset();
    for (size_t i = 0; i < leafs_.size(); ++i) {
      Place(leafs_[i], leaf_buffers_[i]);
    }
    for (size_t i = 0; i < nodes_.size(); ++i) {
      Tensor* const node = nodes_[i];
      if (node->view_src != nullptr && node->op != GGML_OP_NONE) {
        ++states_[node->view_src].views;
      }
      if (IsInput(*node)) Place(node, node_buffers_[i]);
      for (Tensor* const source : SourcesOf(*node)) {
        ++states_[source].uses;
        if (IsInput(*source)) Place(source, node_buffers_[i]);
      }
    }
    for (size_t i = 0; i < nodes_.size(); ++i) {
      const std::vector<Tensor*> sources = SourcesOf(*nodes_[i]);
      for (Tensor* const source : sources) Place(source, node_buffers_[i]);
      Place(nodes_[i], node_buffers_[i]);
      for (Tensor* const source : sources) Release(source);
    }
  }

  // Makes the plan of the host, and then plans the graph with the adapter.
  StatusOr<GgmlPlan<Tensor>> PlanBeside() {
    PlanAsHost();
    return PlanGgmlGraph(*this, graph(), node_buffers_.data(),
                         leaf_buffers_.data());
  }

  // Moves a tensor in the plan of the host, to make the plan wrong.
  void Move(const Tensor* tensor, GgmlAddress address) {
    states_[tensor].address = address;
  }

  static std::vector<Tensor*> SourcesOf(const Tensor& node) {
    std::vector<Tensor*> sources;
    for (Tensor* const source : node.src) {
      if (source != nullptr) sources.push_back(source);
    }
    return sources;
  }

 private:
  struct State {
    int uses = 0;
    int views = 0;
    int buffer = 0;
    bool holds = false;
    GgmlAddress address;
  };

  Tensor* New(size_t elements) {
    tensors_.push_back({});
    Tensor* const tensor = &tensors_.back();
    tensor->type = GGML_TYPE_F32;
    tensor->ne[0] = static_cast<int64_t>(elements);
    tensor->nb[0] = 4;
    for (int i = 1; i < GGML_MAX_DIMS; ++i) {
      tensor->ne[i] = 1;
      tensor->nb[i] = 4 * elements;
    }
    return tensor;
  }

  HostMemory& MemoryOf(int buffer) {
    return memories_[static_cast<size_t>(AllocatorOf(buffer))];
  }

  void Place(Tensor* tensor, int buffer) {
    State& state = states_[tensor];
    if (tensor->data != nullptr || tensor->buffer != nullptr ||
        tensor->view_src != nullptr || state.holds) {
      return;
    }
    state.holds = true;
    for (Tensor* const source : SourcesOf(*tensor)) {
      State& parent = states_[source];
      if (!CanInplace(*tensor) || !parent.holds || IsOutput(*source) ||
          !HaveSameLayout(*tensor, *source) || parent.uses != 1 ||
          parent.views != 0) {
        continue;
      }
      parent.holds = false;
      state.buffer = parent.buffer;
      state.address = parent.address;
      const size_t alignment = MemoryOf(state.buffer).allocator().alignment;
      const size_t kept = AlignUp(AllocSize(state.buffer, *tensor), alignment);
      const size_t had = AlignUp(AllocSize(state.buffer, *source), alignment);
      if (had > kept) {
        MemoryOf(state.buffer)
            .Free({state.address.chunk, state.address.offset + kept},
                  had - kept);
      }
      return;
    }
    state.buffer = buffer;
    state.address = MemoryOf(buffer).Allocate(AllocSize(buffer, *tensor));
  }

  void Release(Tensor* source) {
    State& state = states_[source];
    if (--state.uses > 0 || state.views != 0) return;
    Tensor* owner = source;
    if (source->view_src != nullptr) {
      owner = source->view_src;
      --states_[owner].views;
    }
    State& owned = states_[owner];
    if (owned.uses != 0 || owned.views != 0 || !owned.holds ||
        IsOutput(*owner)) {
      return;
    }
    MemoryOf(owned.buffer).Free(owned.address, AllocSize(owned.buffer, *owner));
    owned.holds = false;
  }

  void Reset() {
    states_.clear();
    memories_.clear();
    for (const GgmlAllocator& allocator : allocators_) {
      memories_.emplace_back(allocator);
    }
  }

  std::vector<GgmlAllocator> allocators_;
  std::vector<int> buffers_;
  std::deque<Tensor> tensors_;
  std::vector<Tensor*> nodes_;
  std::vector<Tensor*> leafs_;
  std::vector<int> node_buffers_;
  std::vector<int> leaf_buffers_;
  std::map<const Tensor*, State> states_;
  std::vector<HostMemory> memories_;
};

}  // namespace stowage::adapters

#endif  // STOWAGE_TESTS_ADAPTERS_GGML_HOST_H_
