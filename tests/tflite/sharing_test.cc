// SPDX-License-Identifier: Apache-2.0
// Tests which tensors may share memory.
#include "stowage/tflite/sharing.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/constraints.h"
#include "stowage/tflite/lifetimes.h"
#include "tests/tflm/arena_graphs.h"

namespace stowage {
namespace {

// Rigid groups, sorted by their first tensors. A group is a list of pairs of a
// tensor and the offset of that tensor in the group.
using RigidGroups = std::vector<std::vector<std::pair<size_t, size_t>>>;

RigidGroups GroupsOf(const SharedGroups& shared) {
  std::map<uint32_t, std::vector<std::pair<size_t, size_t>>> by_group;
  for (size_t t = 0; t < shared.places.size(); ++t) {
    const RecordPlace& place = shared.places[t];
    if (place.group != kNoGroup) by_group[place.group].push_back({t, place.at});
  }
  RigidGroups groups;
  for (auto& [number, members] : by_group) groups.push_back(std::move(members));
  std::sort(groups.begin(), groups.end());
  return groups;
}

struct SharingCase {
  const char* name;
  std::vector<size_t> sizes;  // by tensor
  std::vector<ArenaNode> nodes;
  std::vector<size_t> inputs;
  std::vector<size_t> outputs;
  RigidGroups groups;
};

std::vector<SharingCase> CasesInPlace() {
  return {
      {"in place",
       {64, 64, 64, 64},
       {OpaqueNode({0}, {1}), InPlaceNode(1, 2, kElementwise),
        OpaqueNode({2}, {3})},
       {0},
       {3},
       {{{1, 0}, {2, 0}}}},
      {"what another reads later is not overwritten",
       {64, 64, 64, 64},
       {OpaqueNode({0}, {1}), InPlaceNode(1, 2, kElementwise),
        OpaqueNode({1, 2}, {3})},
       {0},
       {3},
       {}},
      {"another shape of what is read later lies on it",
       {64, 64, 64, 64},
       {OpaqueNode({0}, {1}), InPlaceNode(1, 2, kReshape),
        OpaqueNode({1, 2}, {3})},
       {0},
       {3},
       {{{1, 0}, {2, 0}}}},
      {"a graph input is no one's memory",
       {64, 64, 64},
       {InPlaceNode(0, 1, kReshape), OpaqueNode({1}, {2})},
       {0},
       {2},
       {}},
  };
}

std::vector<SharingCase> CasesOfJoins() {
  const std::vector<size_t> joined = {64, 64, 128, 192, 64};
  const std::vector<ArenaNode> writers = {OpaqueNode({0}, {1}),
                                          OpaqueNode({0}, {2})};
  const auto after_writers = [&](std::vector<ArenaNode> nodes) {
    nodes.insert(nodes.begin(), writers.begin(), writers.end());
    return nodes;
  };
  return {
      {"inputs side by side",
       joined,
       after_writers({JoinNode(joined, {1, 2}, 3), OpaqueNode({3}, {4})}),
       {0},
       {4},
       {{{1, 0}, {2, 64}, {3, 0}}}},
      {"an input that is read later stays apart",
       joined,
       after_writers({JoinNode(joined, {1, 2}, 3), OpaqueNode({1, 3}, {4})}),
       {0},
       {4},
       {{{2, 64}, {3, 0}}}},
      {"an input that is an output of the graph, too",
       joined,
       after_writers({JoinNode(joined, {1, 2}, 3), OpaqueNode({3}, {4})}),
       {0},
       {4, 2},
       {{{1, 0}, {3, 0}}}},
      {"the same input twice lies in the first place",
       {64, 64, 128, 64},
       {OpaqueNode({0}, {1}), JoinNode({64, 64, 128, 64}, {1, 1}, 2),
        OpaqueNode({2}, {3})},
       {0},
       {3},
       {{{1, 0}, {2, 0}}}},
      {"a place that is not aligned",
       {64, 96, 64, 160, 64},
       {OpaqueNode({0}, {1}), OpaqueNode({0}, {2}),
        JoinNode({64, 96, 64, 160, 64}, {1, 2}, 3), OpaqueNode({3}, {4})},
       {0},
       {4},
       {{{1, 0}, {3, 0}}}},
      {"a graph input stays where the caller put it",
       {64, 64, 128, 64},
       {OpaqueNode({0}, {1}), JoinNode({64, 64, 128, 64}, {0, 1}, 2),
        OpaqueNode({2}, {3})},
       {0},
       {3},
       {{{1, 64}, {2, 0}}}},
      {"with what shares in place, before and after",
       {64, 64, 64, 64, 128, 128, 64},
       {OpaqueNode({0}, {1}), InPlaceNode(1, 2, kElementwise),
        OpaqueNode({0}, {3}),
        JoinNode({64, 64, 64, 64, 128, 128, 64}, {2, 3}, 4),
        InPlaceNode(4, 5, kElementwise), OpaqueNode({5}, {6})},
       {0},
       {6},
       {{{1, 0}, {2, 0}, {3, 64}, {4, 0}, {5, 0}}}},
      {"another shape of the input is read later",
       {64, 64, 64, 64, 128, 64},
       {OpaqueNode({0}, {1}), InPlaceNode(1, 2, kReshape), OpaqueNode({0}, {3}),
        JoinNode({64, 64, 64, 64, 128, 64}, {2, 3}, 4),
        OpaqueNode({1, 4}, {5})},
       {0},
       {5},
       {{{1, 0}, {2, 0}}, {{3, 64}, {4, 0}}}},
      {"in each other",
       {64, 64, 64, 128, 64, 192, 64},
       {OpaqueNode({0}, {1}), OpaqueNode({0}, {2}),
        JoinNode({64, 64, 64, 128, 64, 192, 64}, {1, 2}, 3),
        OpaqueNode({0}, {4}),
        JoinNode({64, 64, 64, 128, 64, 192, 64}, {4, 3}, 5),
        OpaqueNode({5}, {6})},
       {0},
       {6},
       {{{1, 64}, {2, 128}, {3, 64}, {4, 0}, {5, 0}}}},
  };
}

std::vector<SharingCase> CasesOfCuts() {
  const std::vector<size_t> cut = {64, 192, 64, 128, 64};
  return {
      {"outputs side by side",
       cut,
       {OpaqueNode({0}, {1}), CutNode(cut, 1, {2, 3}), OpaqueNode({2, 3}, {4})},
       {0},
       {4},
       {{{1, 0}, {2, 0}, {3, 64}}}},
      {"the whole is read later",
       cut,
       {OpaqueNode({0}, {1}), CutNode(cut, 1, {2, 3}),
        OpaqueNode({1, 2, 3}, {4})},
       {0},
       {4},
       {}},
      {"an output of the graph stays apart",
       cut,
       {OpaqueNode({0}, {1}), CutNode(cut, 1, {2, 3}), OpaqueNode({2, 3}, {4})},
       {0},
       {4, 2},
       {{{1, 0}, {3, 64}}}},
      {"the whole is a graph input",
       cut,
       {CutNode(cut, 1, {2, 3}), OpaqueNode({2, 3}, {4})},
       {1},
       {4},
       {}},
      {"cut and joined: each part lies in one whole",
       {64, 128, 64, 64, 128, 64},
       {OpaqueNode({0}, {1}), CutNode({64, 128, 64, 64, 128, 64}, 1, {2, 3}),
        JoinNode({64, 128, 64, 64, 128, 64}, {3, 2}, 4), OpaqueNode({4}, {5})},
       {0},
       {5},
       {{{1, 0}, {2, 0}, {3, 64}}}},
  };
}

TEST(FindSharedGroups, FindsWhatMayLieOnEachOther) {
  std::vector<SharingCase> cases = CasesInPlace();
  for (const auto& more : {CasesOfJoins(), CasesOfCuts()}) {
    cases.insert(cases.end(), more.begin(), more.end());
  }
  for (const SharingCase& c : cases) {
    SCOPED_TRACE(c.name);
    const ArenaGraph graph = GraphOf(c.sizes, c.nodes, c.inputs, c.outputs);
    const SharedGroups shared = FindSharedGroups(graph, {}, kPartAlignment);
    EXPECT_EQ(GroupsOf(shared), c.groups);
    for (size_t t = 0; t < shared.lifetimes.size(); ++t) {
      EXPECT_EQ(shared.lifetimes[t].root, t);
    }
  }
}

TEST(FindSharedGroups, LeavesAllApartWhereNothingMayShare) {
  const SharingCase c = CasesOfJoins().front();
  const ArenaGraph graph = GraphOf(c.sizes, c.nodes, c.inputs, c.outputs);
  LifetimeOptions preserve;
  preserve.preserve_all = true;
  EXPECT_THAT(FindSharedGroups(graph, preserve, kPartAlignment).places,
              testing::IsEmpty());
  LifetimeOptions none;
  none.sharing_nodes = 2;  // the join is the third node
  EXPECT_THAT(FindSharedGroups(graph, none, kPartAlignment).places,
              testing::IsEmpty());
}

// Nothing reads tensor 2, so it is live only while its node runs. The last live
// member of the rigid group is therefore tensor 1.
TEST(FindSharedGroups, EndsWhatNothingReadsWithItsNode) {
  const ArenaGraph graph =
      GraphOf({64, 64, 64, 64},
              {OpaqueNode({0}, {1}), InPlaceNode(1, 2, kReshape),
               OpaqueNode({1}, {3}), OpaqueNode({3}, {})},
              {0}, {});
  const SharedGroups shared = FindSharedGroups(graph, {}, kPartAlignment);
  EXPECT_EQ(GroupsOf(shared), (RigidGroups{{{1, 0}, {2, 0}}}));
  EXPECT_EQ(shared.lifetimes[2].last, 1u);
  EXPECT_EQ(shared.lifetimes[1].last, 2u);
}

TEST(RecordsOf, LeavesOutGroupsOfOne) {
  const SharingCase c = CasesOfJoins().front();
  const ArenaGraph graph = GraphOf(c.sizes, c.nodes, c.inputs, c.outputs);
  const SharedGroups shared = FindSharedGroups(graph, {}, kPartAlignment);
  const ArenaRecords first =
      RecordsOf(graph, shared.lifetimes, shared.places, 0);
  EXPECT_THAT(first.tensors, testing::ElementsAre(0, 1));
  EXPECT_THAT(first.places, testing::IsEmpty());
  const ArenaRecords all = RecordsOf(graph, shared.lifetimes, shared.places, 3);
  ASSERT_EQ(all.places.size(), all.records.size());
  EXPECT_EQ(all.places[2].at, 64u);
}

TEST(CountCopiesAvoided, CountsPartsAndOtherShapesThatLieInPlace) {
  const std::vector<size_t> sizes = {64, 64, 128, 192, 192, 64};
  const ArenaGraph graph = GraphOf(
      sizes,
      {OpaqueNode({0}, {1}), OpaqueNode({0}, {2}), JoinNode(sizes, {1, 2}, 3),
       InPlaceNode(3, 4, kReshape), OpaqueNode({4}, {5})},
      {0}, {5});
  const SharedGroups shared = FindSharedGroups(graph, {}, kPartAlignment);
  EXPECT_EQ(CountCopiesAvoided(graph, shared.lifetimes, shared.places),
            64u + 128 + 192);
  EXPECT_EQ(CountCopiesAvoided(graph, shared.lifetimes, {}), 0u);
  EXPECT_EQ(CountCopiesAvoided(graph, PlanLifetimes(graph), {}), 192u);
}

}  // namespace
}  // namespace stowage
