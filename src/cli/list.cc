// stowage list: the strategies there are.
#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "src/cli/json.h"
#include "src/cli/options.h"
#include "src/cli/verb.h"
#include "stowage/strategy.h"

namespace stowage::cli {
namespace {

std::vector<std::string> Products(const StrategyFeatures& can) {
  std::vector<std::string> products;
  if (can.offsets) products.emplace_back("offsets");
  if (can.objects) products.emplace_back("objects");
  return products;
}

// What a strategy can do beyond planning bytes.
std::vector<std::string> Features(const StrategyFeatures& can) {
  std::vector<std::string> features;
  if (can.offsets) features.emplace_back("alignment");
  if (can.extents) features.emplace_back("extents");
  if (can.bhwc) features.emplace_back("bhwc");
  if (can.reallocation_graph) features.emplace_back("reallocation_graph");
  if (can.fixed_offsets) features.emplace_back("fixed_offsets");
  if (can.order_independent) features.emplace_back("order_independent");
  return features;
}

std::string Joined(const std::vector<std::string>& words) {
  return words.empty() ? "none" : absl::StrJoin(words, ", ");
}

std::string TextOf(const std::vector<const Strategy*>& strategies) {
  std::string text;
  for (const Strategy* strategy : strategies) {
    const StrategyInfo& info = strategy->info();
    absl::StrAppendFormat(
        &text,
        "%-18s %s\n"
        "  produces         %s\n"
        "  features         %s\n"
        "  complexity       %s\n"
        "  source           %s\n",
        info.name, info.summary, Joined(Products(info.features)),
        Joined(Features(info.features)), info.complexity, info.source);
  }
  return text;
}

std::string JsonOf(const std::vector<const Strategy*>& strategies) {
  Json list = Json::array();
  for (const Strategy* strategy : strategies) {
    const StrategyInfo& info = strategy->info();
    list.push_back({{"name", info.name},
                    {"summary", info.summary},
                    {"produces", Products(info.features)},
                    {"features", Features(info.features)},
                    {"complexity", info.complexity},
                    {"source", info.source}});
  }
  return Dump({{"strategies", list}});
}

}  // namespace

void AddList(CLI::App* app, Action* action) {
  CLI::App* verb =
      app->add_subcommand("list", "The strategies and what each can do");
  auto format = std::make_shared<Format>(Format::kText);
  AddFormat(verb, format.get());
  verb->footer("Example:\n  stowage list");
  verb->callback([action, format] {
    *action = [format] {
      const std::vector<const Strategy*> strategies = AllStrategies();
      const bool json = *format == Format::kJson;
      return Outcome{ExitCode::kDone,
                     json ? JsonOf(strategies) : TextOf(strategies), ""};
    };
  });
}

}  // namespace stowage::cli
