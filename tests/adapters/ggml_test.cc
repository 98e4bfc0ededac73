// SPDX-License-Identifier: Apache-2.0
// Tests the adapter for ggml: which decisions of ggml it replays, how it
// translates lifetimes, and which graphs it leaves to the host. Also runs
// random graphs on a model of the memory.
#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"
#include "src/adapters/ggml/graph_planner.h"
#include "stowage/verify.h"
#include "tests/adapters/ggml_host.h"
#include "tests/support/sanitized.h"
#include "tests/support/status_matchers.h"

namespace stowage::adapters {
namespace {

using support::FailsWith;
using support::IsOk;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Returns the address of a tensor in a plan.
GgmlAddress PlaceOf(const GgmlPlan<ggml_tensor>& plan,
                    const ggml_tensor* tensor) {
  for (const auto& placement : plan.placements) {
    if (placement.tensor == tensor) return placement.address;
  }
  return {-1, 0};
}

// Returns the lifetime that the replay computes for a tensor.
ByteRecord UsageOf(GgmlHost& host, const ggml_tensor* tensor) {
  const ggml_cgraph graph = host.graph();
  GgmlReplay<GgmlHost> replay(host, graph, nullptr, nullptr);
  EXPECT_THAT(replay.Run(), IsOk());
  for (const auto& owner : replay.owners()) {
    if (owner.tensor == tensor) return replay.records()[owner.record].usage;
  }
  ADD_FAILURE() << "the tensor has no memory";
  return {};
}

// Returns the first and the last task of a tensor.
std::pair<TaskId, TaskId> LifetimeOf(GgmlHost& host,
                                     const ggml_tensor* tensor) {
  const ByteRecord usage = UsageOf(host, tensor);
  return {usage.first_task, usage.last_task};
}

TEST(GgmlReplay, KeepsATensorFromItsNodeToItsLastReader) {
  GgmlHost host;
  ggml_tensor* const leaf = host.Leaf(8, /*is_external=*/true);
  ggml_tensor* const a = host.Node(GGML_OP_MUL_MAT, 8, {leaf});
  ggml_tensor* const b = host.Node(GGML_OP_MUL_MAT, 8, {a});
  ggml_tensor* const c = host.Node(GGML_OP_MUL_MAT, 8, {b});
  host.Node(GGML_OP_MUL_MAT, 8, {c});
  EXPECT_EQ(LifetimeOf(host, a), std::make_pair(TaskId{0}, TaskId{1}));
  EXPECT_EQ(LifetimeOf(host, b), std::make_pair(TaskId{1}, TaskId{2}));
  EXPECT_EQ(LifetimeOf(host, c), std::make_pair(TaskId{2}, TaskId{3}));
  EXPECT_EQ(UsageOf(host, a).tensor_size, 96u) << "72 bytes, aligned to 32";
}

// The first lifetime ends at the task at which the second one begins, so these
// two conflict. The third lifetime begins one task later, so its record may use
// the bytes of the first one.
TEST(GgmlReplay, LetsLifetimesConflictThatTouch) {
  GgmlHost host;
  ggml_tensor* const a = host.Node(GGML_OP_MUL_MAT, 8, {});
  ggml_tensor* const b = host.Node(GGML_OP_MUL_MAT, 8, {a});
  ggml_tensor* const c = host.Node(GGML_OP_MUL_MAT, 8, {b});
  const auto plan = host.PlanBeside();
  ASSERT_THAT(plan, IsOk());
  EXPECT_NE(PlaceOf(*plan, a).offset, PlaceOf(*plan, b).offset);
  EXPECT_NE(PlaceOf(*plan, b).offset, PlaceOf(*plan, c).offset);
  EXPECT_EQ(PlaceOf(*plan, a).offset, PlaceOf(*plan, c).offset);
  EXPECT_EQ(plan->allocators[0].total, 192u);
}

TEST(GgmlReplay, AllocatesLeafsAndInputsFirstAndNeverFreesOutputs) {
  GgmlHost host;
  ggml_tensor* const leaf = host.Leaf(8);
  ggml_tensor* const unused = host.Leaf(8);
  ggml_tensor* const a = host.Node(GGML_OP_MUL_MAT, 8, {});
  ggml_tensor* const output = host.Node(GGML_OP_MUL_MAT, 8, {a});
  ggml_tensor* const input = host.Node(GGML_OP_MUL_MAT, 8, {output});
  host.Node(GGML_OP_MUL_MAT, 8, {leaf, input});
  GgmlHost::Flag(output, GGML_TENSOR_FLAG_OUTPUT);
  GgmlHost::Flag(input, GGML_TENSOR_FLAG_INPUT);
  host.Node(GGML_OP_MUL_MAT, 8, {});
  EXPECT_EQ(LifetimeOf(host, leaf), std::make_pair(TaskId{0}, TaskId{3}));
  EXPECT_EQ(LifetimeOf(host, unused), std::make_pair(TaskId{0}, TaskId{4}));
  EXPECT_EQ(LifetimeOf(host, output), std::make_pair(TaskId{1}, TaskId{4}));
  EXPECT_EQ(LifetimeOf(host, input), std::make_pair(TaskId{0}, TaskId{3}));
}

TEST(GgmlReplay, KeepsTheSourceOfAViewForTheReadersOfTheView) {
  GgmlHost host;
  ggml_tensor* const a = host.Node(GGML_OP_MUL_MAT, 8, {});
  ggml_tensor* const view = host.View(a);
  ggml_tensor* const again = host.View(view);
  host.Node(GGML_OP_MUL_MAT, 8, {});
  host.Node(GGML_OP_MUL_MAT, 8, {again});
  host.Node(GGML_OP_MUL_MAT, 8, {view});
  host.Node(GGML_OP_MUL_MAT, 8, {});
  EXPECT_EQ(LifetimeOf(host, a), std::make_pair(TaskId{0}, TaskId{5}));
  const auto plan = host.PlanBeside();
  ASSERT_THAT(plan, IsOk());
  EXPECT_EQ(PlaceOf(*plan, view).chunk, -1) << "a view has no memory";
}

// The conditions under which a node takes over the memory of its parent.
struct TakeOverCase {
  const char* name;
  ggml_op op = GGML_OP_ADD;
  size_t elements = 8;
  int parent_flags = 0;
  bool has_second_reader = false;
  bool has_view = false;
  bool reads_twice = false;
  bool is_taken_over = false;
};

class TakeOver : public ::testing::TestWithParam<TakeOverCase> {};

TEST_P(TakeOver, IsDecidedAsByTheHost) {
  const TakeOverCase& c = GetParam();
  GgmlHost host;
  ggml_tensor* const parent = host.Node(GGML_OP_MUL_MAT, 8, {});
  GgmlHost::Flag(parent, c.parent_flags);
  if (c.has_view) host.View(parent);
  std::vector<ggml_tensor*> sources = {parent};
  if (c.reads_twice) sources.push_back(parent);
  ggml_tensor* const node = host.Node(c.op, c.elements, sources);
  if (c.has_second_reader) host.Node(GGML_OP_MUL_MAT, 8, {parent});
  host.Node(GGML_OP_MUL_MAT, 8, {node});
  const auto plan = host.PlanBeside();
  ASSERT_THAT(plan, IsOk());
  EXPECT_EQ(PlaceOf(*plan, parent) == PlaceOf(*plan, node), c.is_taken_over);
}

TakeOverCase Allowed() {
  TakeOverCase c = {"Allowed"};
  c.is_taken_over = true;
  return c;
}
template <typename T>
TakeOverCase Denied(const char* name, T TakeOverCase::*field, T value) {
  TakeOverCase c = {name};
  c.*field = value;
  return c;
}

INSTANTIATE_TEST_SUITE_P(
    , TakeOver,
    ::testing::Values(Allowed(),
                      Denied("OtherOp", &TakeOverCase::op, GGML_OP_MUL_MAT),
                      Denied("OtherLayout", &TakeOverCase::elements, size_t{4}),
                      Denied("Output", &TakeOverCase::parent_flags,
                             static_cast<int>(GGML_TENSOR_FLAG_OUTPUT)),
                      Denied("SecondReader", &TakeOverCase::has_second_reader,
                             true),
                      Denied("ReadsTwice", &TakeOverCase::reads_twice, true),
                      Denied("View", &TakeOverCase::has_view, true)),
    [](const auto& c) { return c.param.name; });

// The operation of the parent pads its result, but the operation of the node
// does not. The bytes of the parent that the node does not use become free
// after the node.
TEST(GgmlReplay, FreesWhatANodeLeavesOfItsParent) {
  GgmlHost host;
  ggml_tensor* const parent = host.Node(GGML_OP_MUL_MAT, 8, {});
  ggml_tensor* const node = host.Node(GGML_OP_ADD, 8, {parent});
  ggml_tensor* const other = host.Node(GGML_OP_ADD, 16, {});
  host.Node(GGML_OP_ADD, 8, {node, other});
  EXPECT_EQ(UsageOf(host, parent).tensor_size, 96u);
  EXPECT_EQ(UsageOf(host, node).tensor_size, 32u);
  EXPECT_EQ(LifetimeOf(host, parent), std::make_pair(TaskId{0}, TaskId{1}));
  EXPECT_EQ(LifetimeOf(host, node), std::make_pair(TaskId{2}, TaskId{3}));
  const auto plan = host.PlanBeside();
  ASSERT_THAT(plan, IsOk());
  EXPECT_EQ(PlaceOf(*plan, parent), PlaceOf(*plan, node));
  EXPECT_EQ(plan->allocators[0].total, 96u);
}

TEST(GgmlReplay, LeavesExternalTensorsAlone) {
  GgmlHost host;
  ggml_tensor* const a = host.Node(GGML_OP_MUL_MAT, 8, {});
  a->data = a;
  ggml_tensor* const b = host.Node(GGML_OP_ADD, 8, {a});
  const auto plan = host.PlanBeside();
  ASSERT_THAT(plan, IsOk());
  EXPECT_EQ(plan->placements.size(), 1u);
  EXPECT_EQ(plan->placements[0].tensor, b);
}

TEST(PlanGgmlGraph, PlansNothing) {
  GgmlHost host;
  const auto plan = host.PlanBeside();
  ASSERT_THAT(plan, IsOk());
  EXPECT_THAT(plan->placements, IsEmpty());
  ASSERT_EQ(plan->allocators.size(), 1u);
  EXPECT_THAT(plan->allocators[0].chunk_sizes, IsEmpty());
  EXPECT_TRUE(plan->allocators[0].is_hosts_plan);
}

TEST(PlanGgmlGraph, PlacesTensorsWithoutBytes) {
  GgmlHost host;
  host.Leaf(0);
  ggml_tensor* const a = host.Node(GGML_OP_ADD, 0, {});
  const auto nothing = host.PlanBeside();
  ASSERT_THAT(nothing, IsOk());
  EXPECT_THAT(nothing->allocators[0].chunk_sizes, ElementsAre(0));

  host.Node(GGML_OP_ADD, 8, {a});
  const auto plan = host.PlanBeside();
  ASSERT_THAT(plan, IsOk());
  EXPECT_THAT(plan->allocators[0].chunk_sizes, ElementsAre(32));
  EXPECT_EQ(plan->placements.size(), 3u);
}

TEST(PlanGgmlGraph, LeavesSizesThatOverflowToTheHost) {
  GgmlHost host;
  ggml_tensor* const a = host.Node(GGML_OP_ADD, 8, {});
  host.PlanAsHost();
  a->nb[3] = std::numeric_limits<size_t>::max() - 3;
  EXPECT_THAT(PlanGgmlGraph(host, host.graph(), nullptr, nullptr),
              FailsWith(absl::StatusCode::kUnimplemented,
                        "a tensor has more than 2^64 - 1 bytes"));
}

// Inputs are allocated before all other nodes. This input takes over the leaf
// before the readers of the leaf are counted, so the first reader allocates the
// leaf again.
TEST(PlanGgmlGraph, LeavesTensorsThatAreAllocatedTwiceToTheHost) {
  GgmlHost host;
  ggml_tensor* const leaf = host.Leaf(8);
  host.Node(GGML_OP_MUL_MAT, 8, {leaf});
  GgmlHost::Flag(host.Node(GGML_OP_ADD, 8, {leaf}), GGML_TENSOR_FLAG_INPUT);
  EXPECT_THAT(host.PlanBeside(),
              FailsWith(absl::StatusCode::kUnimplemented,
                        "a tensor is allocated again after it was freed"));
}

TEST(PlanGgmlGraph, NoticesThatTheHostDecidesDifferently) {
  GgmlHost host;
  ggml_tensor* const parent = host.Node(GGML_OP_ADD, 8, {});
  ggml_tensor* const node = host.Node(GGML_OP_ADD, 8, {parent});
  host.PlanAsHost();
  host.Move(node, {0, 64});
  EXPECT_THAT(PlanGgmlGraph(host, host.graph(), nullptr, nullptr),
              FailsWith(absl::StatusCode::kFailedPrecondition,
                        HasSubstr("the parent that it takes over")));
}

TEST(PlanGgmlGraph, ReportsAnUnsafePlanAndDoesNotReturnIt) {
  GgmlHost host;
  ggml_tensor* const a = host.Node(GGML_OP_MUL_MAT, 8, {});
  ggml_tensor* const b = host.Node(GGML_OP_MUL_MAT, 8, {a});
  host.PlanAsHost();
  host.Move(b, {0, 64});
  const auto plan = PlanGgmlGraph(host, host.graph(), nullptr, nullptr);
  ASSERT_THAT(plan, IsOk());
  const GgmlAllocatorPlan& allocator = plan->allocators[0];
  EXPECT_FALSE(allocator.is_hosts_plan);
  ASSERT_TRUE(allocator.host_violation);
  EXPECT_EQ(allocator.host_violation->kind, Violation::Kind::kOverlappingBytes);
  EXPECT_EQ(allocator.host_violation->task, 1u);
  EXPECT_EQ(allocator.total, 192u);
}

TEST(PlanGgmlGraph, PlansEachAllocatorOfItsBuffers) {
  GgmlHost host({{32, 1u << 20}, {128, 1u << 20}}, {0, 1, 0});
  ggml_tensor* const a = host.Node(GGML_OP_MUL_MAT, 8, {}, 0);
  ggml_tensor* const b = host.Node(GGML_OP_MUL_MAT, 8, {a}, 1);
  ggml_tensor* const c = host.Node(GGML_OP_MUL_MAT, 8, {b}, 2);
  const auto plan = host.PlanBeside();
  ASSERT_THAT(plan, IsOk());
  EXPECT_EQ(PlaceOf(*plan, a).offset, PlaceOf(*plan, c).offset);
  EXPECT_EQ(PlaceOf(*plan, b).offset, 0u);
  EXPECT_THAT(plan->allocators[0].chunk_sizes, ElementsAre(96));
  EXPECT_THAT(plan->allocators[1].chunk_sizes, ElementsAre(128));
}

// Generates a graph in which nodes read leafs and earlier nodes.
GgmlHost* AnyHost() {
  const size_t chunk = *rc::gen::element<size_t>(192, 320, 4096);
  const bool has_two = *rc::gen::arbitrary<bool>();
  std::vector<GgmlAllocator> allocators = {{32, chunk}};
  if (has_two) allocators.push_back({64, 4096});
  auto* const host = new GgmlHost(
      allocators, has_two ? std::vector<int>{0, 1} : std::vector<int>{0});
  std::vector<ggml_tensor*> tensors;
  for (int i = *rc::gen::inRange(0, 4); i > 0; --i) {
    tensors.push_back(host->Leaf(*rc::gen::inRange<size_t>(0, 4) * 8,
                                 *rc::gen::inRange(0, 4) == 0));
  }
  // With sanitizers, planning for many small chunks would take minutes.
  const int most = support::kIsSanitized ? 14 : 40;
  for (int i = *rc::gen::inRange(0, most); i > 0; --i) {
    const ggml_op op = *rc::gen::element(GGML_OP_ADD, GGML_OP_ADD,
                                         GGML_OP_MUL_MAT, GGML_OP_VIEW);
    std::vector<ggml_tensor*> sources;
    const size_t count = *rc::gen::inRange<size_t>(0, 3);
    for (size_t s = 0; s < count && !tensors.empty(); ++s) {
      // Late tensors are read more often than early ones.
      const size_t back =
          std::min(*rc::gen::inRange<size_t>(0, 6), tensors.size() - 1);
      sources.push_back(tensors[tensors.size() - 1 - back]);
    }
    if (op == GGML_OP_VIEW && !sources.empty()) {
      tensors.push_back(host->View(sources[0]));
      continue;
    }
    const size_t elements = !sources.empty() && *rc::gen::arbitrary<bool>()
                                ? static_cast<size_t>(sources[0]->ne[0])
                                : *rc::gen::inRange<size_t>(0, 16) * 8;
    tensors.push_back(host->Node(op == GGML_OP_VIEW ? GGML_OP_ADD : op,
                                 elements, sources,
                                 has_two ? *rc::gen::inRange(0, 2) : 0));
    // An input that reads other tensors may be allocated twice (see the test
    // above).
    const int flag = *rc::gen::inRange(0, 12);
    if (flag == GGML_TENSOR_FLAG_OUTPUT ||
        (flag == GGML_TENSOR_FLAG_INPUT && sources.empty())) {
      GgmlHost::Flag(tensors.back(), flag);
    }
  }
  return host;
}

// Models the memory while a graph runs under a plan: stores, for each byte, the
// tensor that has written it.
class MemoryModel {
 public:
  explicit MemoryModel(const GgmlPlan<ggml_tensor>& plan) {
    for (const auto& placement : plan.placements) {
      places_[placement.tensor] = &placement;
    }
  }

  void Write(const ggml_tensor* tensor) {
    ForBytes(tensor, [&](const ggml_tensor*& writer) { writer = tensor; });
  }
  // Checks that the tensor was the last one that wrote its bytes.
  void Read(const ggml_tensor* tensor) {
    if (tensor->view_src != nullptr) tensor = tensor->view_src;
    ForBytes(tensor,
             [&](const ggml_tensor*& writer) { RC_ASSERT(writer == tensor); });
  }

 private:
  template <typename Visit>
  void ForBytes(const ggml_tensor* tensor, Visit visit) {
    const auto place = places_.find(tensor);
    if (place == places_.end()) return;  // external
    const GgmlPlacement<ggml_tensor>& at = *place->second;
    std::vector<const ggml_tensor*>& bytes =
        chunks_[{at.allocator, at.address.chunk}];
    const size_t size = tensor->nb[3] * static_cast<size_t>(tensor->ne[3]);
    bytes.resize(std::max(bytes.size(), at.address.offset + size));
    for (size_t i = 0; i < size; ++i) visit(bytes[at.address.offset + i]);
  }

  std::map<const ggml_tensor*, const GgmlPlacement<ggml_tensor>*> places_;
  std::map<std::pair<int, int>, std::vector<const ggml_tensor*>> chunks_;
};

// Checks that every reader finds the content that it should read, and that all
// outputs still have their content at the end.
void ExpectGraphRuns(GgmlHost& host, const GgmlPlan<ggml_tensor>& plan) {
  MemoryModel memory(plan);
  for (const ggml_tensor* leaf : host.leafs()) memory.Write(leaf);
  for (const ggml_tensor* node : host.nodes()) {
    if (host.IsInput(*node)) memory.Write(node);
  }
  for (const ggml_tensor* node : host.nodes()) {
    for (const ggml_tensor* source : GgmlHost::SourcesOf(*node)) {
      memory.Read(source);
    }
    if (node->view_src == nullptr) memory.Write(node);
  }
  for (const ggml_tensor* node : host.nodes()) {
    if (host.IsOutput(*node)) memory.Read(node);
  }
}

RC_GTEST_PROP(GgmlProperty, IsSafeAndNeverLargerThanTheHost, ()) {
  const std::unique_ptr<GgmlHost> host(AnyHost());
  const auto plan = host->PlanBeside();
  RC_ASSERT(plan.ok());
  ExpectGraphRuns(*host, *plan);
  size_t largest = 0;
  for (const auto* node : host->nodes()) {
    largest = std::max(largest, host->AllocSize(0, *node) + 63);
  }
  for (size_t a = 0; a < plan->allocators.size(); ++a) {
    const GgmlAllocatorPlan& allocator = plan->allocators[a];
    RC_ASSERT(!allocator.host_violation);
    RC_ASSERT(allocator.refusal.ok());
    RC_ASSERT(allocator.host_total == host->memories()[a].total());
    RC_ASSERT(allocator.total <= allocator.host_total);
    RC_ASSERT(allocator.total >= allocator.lower_bound);
    RC_ASSERT(allocator.chunk_sizes.size() <= kGgmlMaxChunks);
    if (allocator.is_hosts_plan) {
      RC_ASSERT(allocator.chunk_sizes == host->memories()[a].chunk_sizes());
    }
    const size_t limit = host->Allocator(static_cast<int>(a)).max_chunk_size;
    for (const size_t size : allocator.chunk_sizes) {
      RC_ASSERT(allocator.is_hosts_plan || size <= std::max(limit, largest));
    }
  }
}

}  // namespace
}  // namespace stowage::adapters
