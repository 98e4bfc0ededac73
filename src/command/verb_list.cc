// SPDX-License-Identifier: Apache-2.0
// The verb `stowage list`: lists the strategies or the delegates.
#include <CLI/CLI.hpp>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "src/command/answer.h"
#include "src/command/options.h"
#include "src/command/verb.h"
#include "stowage/harness/delegates.h"
#include "stowage/registry.h"
#include "stowage/strategy.h"

namespace stowage::cli {
namespace {

using harness::DelegateRegistration;

constexpr FeatureSet kProducts = {Feature::kOffsets, Feature::kObjects};

std::vector<std::string> Products(const StrategyInfo& info) {
  const FeatureSet others = info.features.Without(kProducts);
  return info.features.Without(others).Names();
}

// Returns the features that a strategy supports beyond plain records with sizes
// in bytes.
std::vector<std::string> Features(const StrategyInfo& info) {
  std::vector<std::string> features;
  if (info.features.Has(Feature::kOffsets)) features.emplace_back("alignment");
  for (std::string& name : info.features.Without(kProducts).Names()) {
    features.push_back(std::move(name));
  }
  if (info.is_order_independent) features.emplace_back("order_independent");
  return features;
}

Answer AnswerOf(const std::vector<const Strategy*>& strategies) {
  AnswerTable table;
  table.is_stacked = true;
  table.columns = {
      "name=name",         "summary=summary",       "produces=produces",
      "features=features", "complexity=complexity", "source=source"};
  table.count = strategies.size();
  table.row = [strategies](size_t k) -> std::vector<Value> {
    const StrategyInfo& info = strategies[k]->info();
    return {info.name,
            info.summary,
            Words(Products(info)),
            Words(Features(info)),
            info.complexity,
            info.source};
  };
  Answer answer;
  answer.AddTable(std::move(table), "strategies");
  return answer;
}

Answer AnswerOf(const std::vector<DelegateRegistration>& delegates) {
  AnswerTable table;
  table.is_stacked = true;
  table.columns = {"name=name", "summary=summary", "options=options",
                   "status=usable", "=why_unusable"};
  table.count = delegates.size();
  table.row = [delegates](size_t k) -> std::vector<Value> {
    const DelegateRegistration& delegate = delegates[k];
    const absl::Status status =
        delegate.check == nullptr ? absl::OkStatus() : delegate.check();
    const std::string why(status.message());
    return {
        delegate.name, delegate.summary,
        delegate.options.empty() ? Value("", "none") : Value(delegate.options),
        Value(status.ok(),
              status.ok() ? "usable" : absl::StrCat("unusable: ", why)),
        status.ok() ? Omitted() : Value(why)};
  };
  Answer answer;
  answer.AddTable(std::move(table), "delegates");
  return answer;
}

}  // namespace

void AddList(CLI::App* app, Action* action) {
  CLI::App* verb =
      app->add_subcommand("list", "List the strategies and what each can do");
  auto format = std::make_shared<Format>(Format::kText);
  AddFormat(verb, format.get());
  auto delegates = std::make_shared<bool>(false);
  verb->add_flag("--delegates", *delegates,
                 "List the delegates, which run parts of models, instead of "
                 "the strategies");
  verb->footer("Example:\n  stowage list");
  verb->callback([action, format, delegates] {
    *action = [format, delegates] {
      const Answer answer = *delegates ? AnswerOf(harness::AllDelegates())
                                       : AnswerOf(AllStrategies());
      return Outcome{ExitCode::kDone, answer.Render(*format), ""};
    };
  });
}

}  // namespace stowage::cli
