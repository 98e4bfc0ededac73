// SPDX-License-Identifier: Apache-2.0
// Tests the registry with bad built-in strategies. This is a separate program,
// because the registry refuses to run with such strategies.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "src/plan/builtin_strategies.h"
#include "stowage/registry.h"
#include "stowage/strategy.h"
#include "tests/plan/scripted_strategy.h"

namespace stowage {
namespace {

// Returns the names of the built-in strategies. Each death test sets them in
// its own process.
std::vector<std::string>& BuiltinNames() {
  static auto* const names = new std::vector<std::string>;
  return *names;
}

}  // namespace

std::vector<std::unique_ptr<const Strategy>> CreateBuiltinStrategies() {
  std::vector<std::unique_ptr<const Strategy>> strategies;
  for (const std::string& name : BuiltinNames()) {
    strategies.push_back(
        std::make_unique<ScriptedStrategy>(name, OffsetsOnly(), nullptr));
  }
  return strategies;
}

absl::Span<const absl::string_view> LibraryStrategies() { return {}; }

namespace {

TEST(BadBuiltinDeathTest, EndsTheProgramAtTheFirstUse) {
  const struct {
    const char* name;
    std::vector<std::string> builtin;
    const char* message;
  } cases[] = {
      {"one name, two folders",
       {"twin", "other", "twin"},
       "stowage: built-in strategies: strategy 'twin' is registered already"},
      {"bad name",
       {"fine", "Not-Fine"},
       "stowage: built-in strategies: strategy name 'Not-Fine'; expected "
       "lower-case"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const auto use = [&c](auto call) {
      BuiltinNames() = c.builtin;
      call();
    };
    EXPECT_DEATH(use([] { (void)AllStrategies(); }), c.message);
    EXPECT_DEATH(use([] { (void)FindStrategy("other"); }), c.message);
  }
}

// This test has to be the last one: it makes the registry of this process,
// which cannot be changed later.
TEST(GoodBuiltinTest, StandsBesideStrategiesOfLinkedLibraries) {
  BuiltinNames() = {"one", "two"};
  std::vector<std::string> names;
  for (const Strategy* strategy : AllStrategies()) {
    names.push_back(strategy->info().name);
  }
  EXPECT_THAT(names, ::testing::ElementsAre("mincostflow", "one", "two"));
}

}  // namespace
}  // namespace stowage
