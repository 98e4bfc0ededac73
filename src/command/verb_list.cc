// SPDX-License-Identifier: Apache-2.0
// The verb `stowage list`: lists the strategies or the delegates.
#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "src/command/json.h"
#include "src/command/options.h"
#include "src/command/screen.h"
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

// Returns what a strategy supports beyond records with sizes in bytes.
std::vector<std::string> Features(const StrategyInfo& info) {
  std::vector<std::string> features;
  if (info.features.Has(Feature::kOffsets)) features.emplace_back("alignment");
  for (std::string& name : info.features.Without(kProducts).Names()) {
    features.push_back(std::move(name));
  }
  if (info.is_order_independent) features.emplace_back("order_independent");
  return features;
}

std::string Joined(const std::vector<std::string>& words) {
  return words.empty() ? "none" : absl::StrJoin(words, ", ");
}

std::string TextOf(const std::vector<const Strategy*>& strategies) {
  std::string text;
  for (const Strategy* strategy : strategies) {
    const StrategyInfo& info = strategy->info();
    absl::StrAppendFormat(&text,
                          "%-18s %s\n"
                          "  produces         %s\n"
                          "  features         %s\n"
                          "  complexity       %s\n"
                          "  source           %s\n",
                          info.name, info.summary, Joined(Products(info)),
                          Joined(Features(info)), info.complexity, info.source);
  }
  return text;
}

std::string JsonOf(const std::vector<const Strategy*>& strategies) {
  Json list = Json::array();
  for (const Strategy* strategy : strategies) {
    const StrategyInfo& info = strategy->info();
    list.push_back({{"name", info.name},
                    {"summary", info.summary},
                    {"produces", Products(info)},
                    {"features", Features(info)},
                    {"complexity", info.complexity},
                    {"source", info.source}});
  }
  return Dump({{"strategies", list}});
}

absl::Status Check(const DelegateRegistration& delegate) {
  return delegate.check == nullptr ? absl::OkStatus() : delegate.check();
}

std::string TextOf(const std::vector<DelegateRegistration>& delegates) {
  std::string text;
  for (const DelegateRegistration& delegate : delegates) {
    const absl::Status status = Check(delegate);
    absl::StrAppendFormat(
        &text,
        "%-18s %s\n"
        "  options          %s\n"
        "  status           %s\n",
        delegate.name, delegate.summary,
        delegate.options.empty() ? "none" : delegate.options,
        status.ok() ? "usable" : absl::StrCat("unusable: ", status.message()));
  }
  return text;
}

std::string JsonOf(const std::vector<DelegateRegistration>& delegates) {
  Json list = Json::array();
  for (const DelegateRegistration& delegate : delegates) {
    const absl::Status status = Check(delegate);
    Json entry = {{"name", delegate.name},
                  {"summary", delegate.summary},
                  {"options", delegate.options},
                  {"usable", status.ok()}};
    if (!status.ok()) entry["why_unusable"] = std::string(status.message());
    list.push_back(std::move(entry));
  }
  return Dump({{"delegates", list}});
}

// Returns the list in the format that is asked for.
template <typename Entry>
Outcome Show(const std::vector<Entry>& entries, Format format) {
  return {
      ExitCode::kDone,
      format == Format::kJson ? JsonOf(entries) : FitScreen(TextOf(entries)),
      ""};
}

}  // namespace

void AddList(CLI::App* app, Action* action) {
  CLI::App* verb =
      app->add_subcommand("list", "The strategies and what each can do");
  auto format = std::make_shared<Format>(Format::kText);
  AddFormat(verb, format.get());
  auto delegates = std::make_shared<bool>(false);
  verb->add_flag("--delegates", *delegates,
                 "The delegates in their place: what runs parts of models");
  verb->footer("Example:\n  stowage list");
  verb->callback([action, format, delegates] {
    *action = [format, delegates] {
      return *delegates ? Show(harness::AllDelegates(), *format)
                        : Show(AllStrategies(), *format);
    };
  });
}

}  // namespace stowage::cli
