// SPDX-License-Identifier: Apache-2.0
#include "stowage/registry.h"

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/btree_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "src/plan/builtin_strategies.h"
#include "src/plan/linked_strategies.h"

namespace stowage {
namespace {

bool IsValidName(absl::string_view name) {
  return !name.empty() &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") ==
             absl::string_view::npos;
}

// Ends the program on an error. A bad name, or a name that two folders use, is
// a mistake in the build; without this check a program would silently lack a
// strategy.
void RequireAdded(const absl::Status& added) {
  if (added.ok()) return;
  std::fprintf(stderr, "stowage: built-in strategies: %s\n",
               std::string(added.message()).c_str());
  std::abort();
}

class Registry {
 public:
  // Returns the registry, which is filled with the built-in strategies.
  // Strategies of libraries that were loaded since the last call are added
  // first. The registry is never destroyed, so that strategies outlive every
  // static object that may use them.
  static Registry& Get() {
    static auto* const registry = new Registry;
    for (auto& strategy : CreateLinkedStrategies()) {
      RequireAdded(registry->Add(std::move(strategy)));
    }
    return *registry;
  }

  absl::Status Add(std::unique_ptr<const Strategy> strategy) {
    if (strategy == nullptr) {
      return absl::InvalidArgumentError(
          "strategy: it is null; expected an object");
    }
    const StrategyInfo& info = strategy->info();
    if (!IsValidName(info.name)) {
      return absl::InvalidArgumentError(
          absl::StrCat("strategy name '", info.name,
                       "'; expected lower-case letters, digits and '_'"));
    }
    constexpr FeatureSet kProducts = {Feature::kOffsets, Feature::kObjects,
                                      Feature::kExtents, Feature::kBhwc};
    if (kProducts.Without(info.features) == kProducts) {
      return absl::InvalidArgumentError(
          absl::StrCat("strategy '", info.name,
                       "': its features have no kind of plan; "
                       "expected at least one of ",
                       absl::StrJoin(kProducts.Names(), ", ")));
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    if (strategies_.contains(info.name)) {
      return absl::AlreadyExistsError(
          absl::StrCat("strategy '", info.name, "' is registered already"));
    }
    std::string name = info.name;
    strategies_.emplace(std::move(name), std::move(strategy));
    return absl::OkStatus();
  }

  absl::StatusOr<const Strategy*> Find(absl::string_view name) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = strategies_.find(name);
    if (found != strategies_.end()) return found->second.get();
    if (absl::c_linear_search(LibraryStrategies(), name)) {
      return absl::NotFoundError(absl::StrCat(
          "strategy '", name, "': not linked into this program; expected ",
          "stowage::", name, " among its libraries"));
    }
    const std::string names = absl::StrJoin(
        strategies_, ", ", [](std::string* out, const auto& entry) {
          absl::StrAppend(out, entry.first);
        });
    return absl::NotFoundError(
        absl::StrCat("no strategy '", name, "'; expected one of ", names));
  }

  std::vector<const Strategy*> All() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::vector<const Strategy*> all;
    all.reserve(strategies_.size());
    for (const auto& entry : strategies_) all.push_back(entry.second.get());
    return all;
  }

 private:
  Registry() {
    for (auto& strategy : CreateBuiltinStrategies()) {
      RequireAdded(Add(std::move(strategy)));
    }
  }

  // This is not abseil's mutex, which thread sanitizers understand only if
  // abseil itself is built for them.
  mutable std::mutex mutex_;
  absl::btree_map<std::string, std::unique_ptr<const Strategy>> strategies_;
};

}  // namespace

absl::Status RegisterStrategy(std::unique_ptr<const Strategy> strategy) {
  return Registry::Get().Add(std::move(strategy));
}

absl::StatusOr<const Strategy*> FindStrategy(absl::string_view name) {
  return Registry::Get().Find(name);
}

std::vector<const Strategy*> AllStrategies() { return Registry::Get().All(); }

}  // namespace stowage
