// SPDX-License-Identifier: Apache-2.0
#include "stowage/registry.h"

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
#include "stowage/error_payload.h"

namespace stowage {
namespace {

bool IsValidName(absl::string_view name) {
  return !name.empty() &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") ==
             absl::string_view::npos;
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
      registry->AddLinked(std::move(strategy));
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
    constexpr FeatureSet kProducts = {Feature::kOffsets, Feature::kObjects};
    if (kProducts.Without(info.features) == kProducts) {
      return absl::InvalidArgumentError(
          absl::StrCat("strategy '", info.name,
                       "': its features have no kind of plan; "
                       "expected at least one of ",
                       absl::StrJoin(kProducts.Names(), ", ")));
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    if (strategies_.contains(info.name) || refused_.contains(info.name)) {
      return absl::AlreadyExistsError(
          absl::StrCat("strategy '", info.name, "' is registered already"));
    }
    std::string name = info.name;
    strategies_.emplace(std::move(name), std::move(strategy));
    return absl::OkStatus();
  }

  absl::StatusOr<const Strategy*> Find(absl::string_view name) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto refused = refused_.find(name);
    if (refused != refused_.end()) return refused->second;
    const auto found = strategies_.find(name);
    if (found != strategies_.end()) return found->second.get();
    if (absl::c_linear_search(LibraryStrategies(), name)) {
      return absl::NotFoundError(absl::StrCat(
          "strategy '", name, "': not linked into this program; expected ",
          "stowage::", name, " among its libraries"));
    }
    std::vector<absl::string_view> names;
    for (const auto& [known, strategy] : strategies_) {
      if (!refused_.contains(known)) names.emplace_back(known);
    }
    return absl::NotFoundError(absl::StrCat("no strategy '", name,
                                            "'; expected one of ",
                                            absl::StrJoin(names, ", ")));
  }

  std::vector<const Strategy*> All() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::vector<const Strategy*> all;
    all.reserve(strategies_.size());
    for (const auto& [name, strategy] : strategies_) {
      if (!refused_.contains(name)) all.push_back(strategy.get());
    }
    return all;
  }

 private:
  Registry() {
    for (auto& strategy : CreateBuiltinStrategies()) {
      AddLinked(std::move(strategy));
    }
  }

  // Adds a strategy that is part of the program. There may be two strategies of
  // one name, for example because a library is loaded twice. This must not end
  // the program, and neither of the two may be used in place of the other.
  // Therefore the error is kept, and Find returns it for this name.
  void AddLinked(std::unique_ptr<const Strategy> strategy) {
    if (strategy == nullptr) return;
    const std::string name = strategy->info().name;
    const absl::Status added = Add(std::move(strategy));
    if (added.ok()) return;
    const std::lock_guard<std::mutex> lock(mutex_);
    refused_.emplace(name, AtPlace("strategies of this program", added));
  }

  // This is not abseil's mutex, which thread sanitizers understand only if
  // abseil itself is built for them.
  mutable std::mutex mutex_;
  absl::btree_map<std::string, std::unique_ptr<const Strategy>> strategies_;
  absl::btree_map<std::string, absl::Status> refused_;  // by name
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
