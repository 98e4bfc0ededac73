// SPDX-License-Identifier: Apache-2.0
#include "stowage/feature.h"

#include <string>
#include <vector>

#include "stowage/base/string_view.h"

namespace stowage {

string_view FeatureName(Feature feature) {
  switch (feature) {
    case Feature::kOffsets:
      return "offsets";
    case Feature::kObjects:
      return "objects";
    case Feature::kReallocationGraph:
      return "reallocation_graph";
    case Feature::kFixedOffsets:
      return "fixed_offsets";
    case Feature::kPlaces:
      return "places";
    case Feature::kGroups:
      return "groups";
    case Feature::kApart:
      return "apart";
    case Feature::kPools:
      return "pools";
    case Feature::kPartialOrder:
      return "partial_order";
  }
  return "unknown";
}

std::vector<std::string> FeatureSet::Names() const {
  std::vector<std::string> names;
  for (const Feature feature : kAllFeatures) {
    if (Has(feature)) names.emplace_back(FeatureName(feature));
  }
  return names;
}

}  // namespace stowage
