// SPDX-License-Identifier: Apache-2.0
// Compares the claimed features of each strategy of this project with a table.
// A strategy that claimed a feature without supporting it would ignore a part
// of a request. If a claim is lost, the tests of the feature are no longer run
// for the strategy, and only this test detects the loss. conformance_test.cc
// tests that the claims are true.
//
// If a strategy is missing from the table, the test prints its name but does
// not fail. A new strategy should get a row in the table.
#include <iostream>
#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gtest/gtest.h"
#include "stowage/registry.h"
#include "stowage/strategy.h"

namespace stowage {
namespace {

// Maps the name of each strategy to its features, followed by its other claims.
const std::map<std::string, std::string>& Claims() {
  static const auto* const claims = new std::map<std::string, std::string>{
      {"arena_best_fit", "offsets; order_independent"},
      {"equality", "offsets objects; order_independent"},
      {"greedy_best", "offsets objects fixed_offsets; order_independent"},
      {"greedy_by_breadth", "offsets objects fixed_offsets; order_independent"},
      {"greedy_by_size",
       "offsets objects fixed_offsets places groups apart partial_order; "
       "order_independent"},
      {"greedy_in_order",
       "offsets objects reallocation_graph; order_independent"},
      {"micro_first_fit", "offsets fixed_offsets;"},
      {"mincostflow", "offsets objects;"},
      {"naive", "offsets objects apart partial_order;"},
      {"optimal",
       "offsets objects fixed_offsets places groups apart pools partial_order; "
       "search"},
      {"skyline",
       "offsets fixed_offsets places groups apart pools partial_order;"},
  };
  return *claims;
}

std::string ClaimsOf(const StrategyInfo& info) {
  std::string claims =
      absl::StrCat(absl::StrJoin(info.features.Names(), " "), ";");
  if (info.is_order_independent) absl::StrAppend(&claims, " order_independent");
  if (info.is_search) absl::StrAppend(&claims, " search");
  return claims;
}

TEST(StrategyFeatures, AreThoseOfTheTable) {
  std::map<std::string, std::string> missing = Claims();
  for (const Strategy* strategy : AllStrategies()) {
    const std::string& name = strategy->info().name;
    const auto row = missing.find(name);
    if (row == missing.end()) {
      std::cout << "not in the table: {\"" << name << "\", \""
                << ClaimsOf(strategy->info()) << "\"}\n";
      continue;
    }
    EXPECT_EQ(ClaimsOf(strategy->info()), row->second) << name;
    missing.erase(row);
  }
  for (const auto& [name, claims] : missing) {
    ADD_FAILURE() << "strategy '" << name << "' is not there";
  }
}

}  // namespace
}  // namespace stowage
