// SPDX-License-Identifier: Apache-2.0
#include "stowage/registry.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "src/base/containers.h"
#include "src/base/str_cat.h"
#include "src/plan/builtin_strategies.h"
#include "src/plan/linked_strategies.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/error_payload.h"

namespace stowage {
namespace {

bool IsValidName(string_view name) {
  return !name.empty() &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") ==
             string_view::npos;
}

class Registry {
 public:
  // Returns the registry, which contains the built-in strategies and the
  // strategies of all libraries that have been loaded so far. The registry is
  // never destroyed, so its strategies outlive every static object that may use
  // them.
  static Registry& Get() {
    static auto* const registry = new Registry;
    registry->AddAllLinked();
    return *registry;
  }

  Status Add(std::unique_ptr<const Strategy> strategy) {
    if (strategy == nullptr) {
      return InvalidArgumentError("strategy: it is null; expected an object");
    }
    const StrategyInfo& info = strategy->info();
    if (!IsValidName(info.name)) {
      return InvalidArgumentError(
          StrCat("strategy name '", info.name,
                 "'; expected lower-case letters, digits and '_'"));
    }
    constexpr FeatureSet kProducts = {Feature::kOffsets, Feature::kObjects};
    if (kProducts.Without(info.features) == kProducts) {
      return InvalidArgumentError(
          StrCat("strategy '", info.name,
                 "': its features have no kind of plan; "
                 "expected at least one of ",
                 StrJoin(kProducts.Names(), ", ")));
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    if (strategies_.count(info.name) > 0 || refused_.count(info.name) > 0) {
      return AlreadyExistsError(
          StrCat("strategy '", info.name, "' is registered already"));
    }
    std::string name = info.name;
    strategies_.emplace(std::move(name), std::move(strategy));
    return OkStatus();
  }

  StatusOr<const Strategy*> Find(string_view name) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto refused = refused_.find(name);
    if (refused != refused_.end()) return refused->second;
    const auto found = strategies_.find(name);
    if (found != strategies_.end()) return found->second.get();
    const auto libraries = LibraryStrategies();
    if (std::find(libraries.begin(), libraries.end(), name) !=
        libraries.end()) {
      return NotFoundError(StrCat("strategy '", name,
                                  "': not linked into this program; expected ",
                                  "stowage::", name, " among its libraries"));
    }
    std::vector<string_view> names;
    for (const auto& [known, strategy] : strategies_) {
      if (refused_.count(known) == 0) names.emplace_back(known);
    }
    return NotFoundError(StrCat("no strategy '", name, "'; expected one of ",
                                StrJoin(names, ", ")));
  }

  std::vector<const Strategy*> All() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::vector<const Strategy*> all;
    all.reserve(strategies_.size());
    for (const auto& [name, strategy] : strategies_) {
      if (refused_.count(name) == 0) all.push_back(strategy.get());
    }
    return all;
  }

 private:
  Registry() {
    for (auto& strategy : CreateBuiltinStrategies()) {
      AddLinked(std::move(strategy));
    }
  }

  // Adds the strategies that were linked since the last call. If several
  // threads call this function, each of them waits until all strategies have
  // been added, because one of these strategies may be the one that the thread
  // needs.
  void AddAllLinked() {
    const std::lock_guard<std::recursive_mutex> lock(linking_);
    CreateLinkedStrategies([this](std::unique_ptr<const Strategy> strategy) {
      AddLinked(std::move(strategy));
    });
  }

  // Adds a strategy that is part of the program. Two strategies may have the
  // same name, for example because a library is loaded twice. This must not
  // terminate the program, and neither strategy may be used in place of the
  // other. Therefore the error from adding the second strategy is stored, and
  // Find returns this error for the name.
  void AddLinked(std::unique_ptr<const Strategy> strategy) {
    if (strategy == nullptr) return;
    const std::string name = strategy->info().name;
    const Status added = Add(std::move(strategy));
    if (added.ok()) return;
    const std::lock_guard<std::mutex> lock(mutex_);
    refused_.emplace(name, AtPlace("strategies of this program", added));
  }

  // Held while strategies are created. Recursive because the code that creates
  // a strategy may look up other strategies.
  std::recursive_mutex linking_;
  // Not abseil's mutex, because thread sanitizers understand that mutex only if
  // abseil itself is built with the sanitizer.
  mutable std::mutex mutex_;
  btree_map<std::string, std::unique_ptr<const Strategy>> strategies_;
  // Maps the names of rejected strategies to errors.
  btree_map<std::string, Status> refused_;
};

}  // namespace

Status RegisterStrategy(std::unique_ptr<const Strategy> strategy) {
  return Registry::Get().Add(std::move(strategy));
}

StatusOr<const Strategy*> FindStrategy(string_view name) {
  return Registry::Get().Find(name);
}

std::vector<const Strategy*> AllStrategies() { return Registry::Get().All(); }

}  // namespace stowage
