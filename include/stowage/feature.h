// SPDX-License-Identifier: Apache-2.0
// Defines the named features that problems require and strategies support.
//
// Problem::Requires() and StrategyInfo::features are FeatureSets. If a problem
// requires features that a strategy lacks, the strategy refuses it with an
// error that lists these features. Most code should include problem.h or
// strategy.h, which include this header.
#ifndef STOWAGE_FEATURE_H_
#define STOWAGE_FEATURE_H_

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "stowage/base/string_view.h"

namespace stowage {

// The features, in the order in which lists of features are printed.
enum class Feature : uint8_t {
  kOffsets,            // offsets in one arena, with any alignments
  kObjects,            // shared objects
  kReallocationGraph,  // limits which tensors may share an object
  kFixedOffsets,       // offsets that the problem prescribes
  kPlaces,             // ranges that records must lie in, and holes
  kGroups,             // records at fixed distances from each other
  kApart,              // sets of records that may share no byte
  kPools,              // several memories
  kPartialOrder,       // tasks on several streams
};

constexpr Feature kAllFeatures[] = {
    Feature::kOffsets,      Feature::kObjects, Feature::kReallocationGraph,
    Feature::kFixedOffsets, Feature::kPlaces,  Feature::kGroups,
    Feature::kApart,        Feature::kPools,   Feature::kPartialOrder};

// Returns "offsets", "objects", "reallocation_graph", "fixed_offsets",
// "places", "groups", "apart", "pools" or "partial_order", for messages, lists
// and documents.
string_view FeatureName(Feature feature);

// A set of features. It has a few bytes and is cheap to copy. All functions
// except Names are O(1).
class FeatureSet {
 public:
  constexpr FeatureSet() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): a list of features is a set
  constexpr FeatureSet(std::initializer_list<Feature> features) {
    for (const Feature feature : features) Add(feature);
  }

  constexpr void Add(Feature feature) { bits_ |= BitOf(feature); }
  constexpr bool Has(Feature feature) const {
    return (bits_ & BitOf(feature)) != 0;
  }
  constexpr bool empty() const { return bits_ == 0; }

  // Returns the features of this set that are not in `other`.
  constexpr FeatureSet Without(FeatureSet other) const {
    FeatureSet rest;
    rest.bits_ = bits_ & ~other.bits_;
    return rest;
  }

  // Returns the names of the features, in the order of the enumerators.
  std::vector<std::string> Names() const;

  friend constexpr bool operator==(FeatureSet a, FeatureSet b) {
    return a.bits_ == b.bits_;
  }
  friend constexpr bool operator!=(FeatureSet a, FeatureSet b) {
    return a.bits_ != b.bits_;
  }

 private:
  static constexpr uint32_t BitOf(Feature feature) {
    return uint32_t{1} << static_cast<uint32_t>(feature);
  }

  uint32_t bits_ = 0;
};

}  // namespace stowage

#endif  // STOWAGE_FEATURE_H_
