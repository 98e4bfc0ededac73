// SPDX-License-Identifier: Apache-2.0
// Represents the rigid groups of one pool as a graph. Its edges describe at
// which distances groups overlap, and the energy of each overlap. The annealing
// of costs uses this graph. For a complete search, use GroupSearch
// (group_search.h).
//
// Starts are counted in units. A unit is a number of bytes such that, in at
// least one plan of least cost, all starts are multiples of the unit. An edge
// between two groups is an interval of displacements:
//
//   start of a - start of b:   ... 1 2 [3 4 5 6 7) 8 ...
//                                      overlap
//
// An edge is hard if the groups must not overlap at these displacements, and
// soft if the groups pay for the overlap. Holes are hard edges to the *ground*,
// a group that always starts at 0.
#ifndef STOWAGE_STRATEGIES_OPTIMAL_CONSTRAINED_REUSE_ENERGY_GRAPH_H_
#define STOWAGE_STRATEGIES_OPTIMAL_CONSTRAINED_REUSE_ENERGY_GRAPH_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/bounds/rigid_groups.h"
#include "src/construct/group_search.h"
#include "stowage/base/span.h"

namespace stowage::optimal {

using rigid::CostlyPair;
using rigid::RigidGroups;

class EnergyGraph {
 public:
  using Level = rigid::Level;

  // One of the two sides of an edge, as seen from one of its groups. This group
  // overlaps `other` if low <= (start of this group - start of other) < high.
  struct Side {
    Level low = 0;
    Level high = 0;
    uint32_t other = 0;
    int32_t energy = 0;  // 0 for hard edges, as their energy varies
  };
  // A hard edge: the indices of its two sides in sides(), and the group that
  // the first side belongs to.
  struct HardEdge {
    uint32_t group = 0;
    uint32_t first = 0;
    uint32_t second = 0;
  };
  // The possible starts of one group, in units: low, low + stride, ..., high.
  struct Domain {
    Level low = 0;
    Level high = 0;
    Level stride = 1;
  };

  // Requires that `conflicts` is the result of ListConflicts. `groups` must
  // outlive this object.
  EnergyGraph(const RigidGroups& groups,
              Span<const std::vector<uint32_t>> conflicts,
              Span<const CostlyPair> costly);

  // Returns the number of groups without the ground. This number is also the
  // index of the ground.
  size_t size() const { return groups_.size(); }
  // Returns the groups that have bytes and are not fixed, in ascending order.
  const std::vector<uint32_t>& movable() const { return movable_; }
  // Return the sides of a group that belong to hard edges and to soft edges. In
  // sides(), the soft sides of the group directly follow its hard sides.
  Span<const Side> HardSidesOf(size_t group) const {
    return MakeConstSpan(sides_).subspan(begins_[group],
                                         soft_begins_[group] - begins_[group]);
  }
  Span<const Side> SoftSidesOf(size_t group) const {
    return MakeConstSpan(sides_).subspan(
        soft_begins_[group], begins_[group + 1] - soft_begins_[group]);
  }
  // Returns the index in sides() of the first side of a group.
  uint32_t FirstSideOf(size_t group) const { return begins_[group]; }
  const std::vector<Side>& sides() const { return sides_; }
  const std::vector<HardEdge>& hard_edges() const { return hard_edges_; }
  Level unit() const { return unit_; }
  // The mean energy of a soft edge, at least 16.
  int64_t mean_energy() const { return mean_energy_; }
  // Returns the energy of plans of this cost, or -1 if energies are rounded.
  int64_t EnergyOf(uint64_t cost) const {
    return is_exact_ ? static_cast<int64_t>(cost / divisor_) * energy_of_one_
                     : -1;
  }

  // Returns the starts at which a group ends at or below `limit` bytes. The
  // domain is empty if low > high.
  Domain DomainOf(size_t group, Level limit) const;
  // ToUnits converts starts from bytes to units. It rounds each start down to a
  // start in the domain of its group, or up to the lowest start of the domain
  // if the start is below the domain. ToBytes converts starts back; if the last
  // element of its argument is the start of the ground, the result omits this
  // element.
  std::vector<Level> ToUnits(Span<const Level> starts, Level limit) const;
  std::vector<Level> ToBytes(Span<const Level> starts) const;

 private:
  struct Edge {
    uint32_t first = 0;
    uint32_t second = 0;
    bool is_soft = false;
    Level low = 0;
    Level high = 0;
    uint64_t cost = 0;
  };

  void FindUnit();
  void AddHoles(std::vector<Edge>* edges) const;
  void AddEdge(const rigid::Piece& a, const rigid::Piece& b, bool is_soft,
               uint64_t cost, std::vector<Edge>* edges) const;
  static std::vector<Edge> Merged(std::vector<Edge> edges);
  void ScaleCosts(std::vector<Edge>* edges);
  void ListSides(const std::vector<Edge>& edges);
  Level CeilToUnits(Level bytes) const;

  const RigidGroups& groups_;
  Level unit_ = 1;
  uint64_t divisor_ = 1;  // divides all costs
  bool is_exact_ = true;  // each energy is the same multiple of its cost
  int64_t energy_of_one_ = 1;
  int64_t mean_energy_ = 16;
  std::vector<uint32_t> movable_;
  std::vector<uint32_t> begins_;
  std::vector<uint32_t> soft_begins_;
  std::vector<Side> sides_;
  std::vector<HardEdge> hard_edges_;
};

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_CONSTRAINED_REUSE_ENERGY_GRAPH_H_
