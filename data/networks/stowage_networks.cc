// SPDX-License-Identifier: Apache-2.0
// The command `stowage_networks`: writes the networks as models.
//
//   stowage_networks list
//   stowage_networks model unet -o unet.tflite
//   stowage_networks runnable -o residual_int8.tflite
//   stowage_networks table             the first table in data/README.md
//   stowage_networks list --dynamic    networks with parameters
//   stowage_networks dynamic bert_batch -o bert_batch.json
//   stowage_networks table --dynamic   the second table in data/README.md
#include <cstdio>
#include <exception>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "data/networks/dynamic.h"
#include "data/networks/networks.h"
#include "data/networks/runnable.h"
#include "stowage/dynamic/dynamic_file.h"
#include "stowage/io/write_file.h"
#include "stowage/profile.h"
#include "stowage/tflite/model_trace.h"

namespace stowage::networks {
namespace {

absl::StatusOr<std::string> Model(const NamedNetwork& named) {
  Network network(named.name);
  named.describe(network);
  return network.Serialize();
}

absl::Status WriteModel(const std::string& name, const std::string& path) {
  const NamedNetwork* named = FindNetwork(name);
  if (named == nullptr) {
    return absl::NotFoundError(
        absl::StrCat("no network '", name, "'; see `stowage_networks list`"));
  }
  const absl::StatusOr<std::string> model = Model(*named);
  if (!model.ok()) return model.status();
  return WriteFile(path, *model);
}

absl::StatusOr<std::string> TableRow(const NamedNetwork& named) {
  const absl::StatusOr<std::string> model = Model(named);
  if (!model.ok()) return model.status();
  const absl::StatusOr<ModelTrace> read = ParseModelTrace(*model, named.name);
  if (!read.ok()) return read.status();
  const auto& records = read->problem.records;
  return absl::StrCat("| `", named.name, "` | ", named.description, " | ",
                      read->operator_count, " | ", records.size(), " | ",
                      OffsetsLowerBound(records), " | ", NaiveSize(records),
                      " |\n");
}

absl::Status PrintTable() {
  std::string table =
      "| trace | network | tasks | records | lower bound | naive |\n"
      "|---|---|--:|--:|--:|--:|\n";
  for (const NamedNetwork& named : AllNetworks()) {
    const absl::StatusOr<std::string> row = TableRow(named);
    if (!row.ok()) return row.status();
    absl::StrAppend(&table, *row);
  }
  return WriteFile("-", table);
}

absl::Status WriteDynamic(const std::string& name, const std::string& path) {
  const NamedNetwork* named = FindDynamicNetwork(name);
  if (named == nullptr) {
    return absl::NotFoundError(absl::StrCat(
        "no network '", name, "'; see `stowage_networks list --dynamic`"));
  }
  absl::StatusOr<DynamicSpec> spec = DynamicSpecOf(*named);
  if (!spec.ok()) return spec.status();
  DynamicFile file;
  file.problem = *std::move(spec);
  return WriteFile(path, FormatDynamicJson(file));
}

absl::Status PrintDynamicTable() {
  std::string table =
      "| problem | network | parameters | limit | records |\n"
      "|---|---|---|---|--:|\n";
  for (const NamedNetwork& named : AllDynamicNetworks()) {
    const absl::StatusOr<DynamicSpec> spec = DynamicSpecOf(named);
    if (!spec.ok()) return spec.status();
    std::vector<std::string> parameters;
    for (const SizeParameter& parameter : spec->parameters) {
      parameters.push_back(absl::StrCat(
          "`", parameter.name, "` ", parameter.min, " to ", parameter.max,
          parameter.step == 1 ? "" : " by ",
          parameter.step == 1 ? "" : absl::StrCat(parameter.step)));
    }
    std::vector<std::string> limits;
    for (const std::string& limit : spec->where) {
      limits.push_back(absl::StrCat("`", limit, "`"));
    }
    absl::StrAppend(&table, "| `", named.name, "` | ", named.description, " | ",
                    absl::StrJoin(parameters, ", "), " | ",
                    absl::StrJoin(limits, ", "), " | ", spec->sizes.size(),
                    " |\n");
  }
  return WriteFile("-", table);
}

absl::Status PrintNames(absl::Span<const NamedNetwork> networks) {
  std::string names;
  for (const NamedNetwork& named : networks) {
    absl::StrAppend(&names, named.name, "\n");
  }
  return WriteFile("-", names);
}

int Main(int argc, char** argv) {
  CLI::App app("Writes the networks of the shipped traces as models.");
  app.require_subcommand(1);
  auto* list = app.add_subcommand("list", "their names");
  auto* table = app.add_subcommand("table", "their traces, as Markdown");
  bool are_dynamic = false;
  for (CLI::App* command : {list, table}) {
    command->add_flag("--dynamic", are_dynamic, "those with parameters");
  }
  auto* model = app.add_subcommand("model", "one of them, as a .tflite file");
  auto* dynamic = app.add_subcommand(
      "dynamic", "one with parameters, as a problem with parameters");
  std::string name;
  std::string path;
  for (CLI::App* command : {model, dynamic}) {
    command->add_option("NAME", name)->required();
    command->add_option("-o,--output", path)->required();
  }
  auto* runnable = app.add_subcommand("runnable", "the model that has weights");
  runnable->add_option("-o,--output", path)->required();
  CLI11_PARSE(app, argc, argv);

  const absl::Status status =
      list->parsed()
          ? PrintNames(are_dynamic ? AllDynamicNetworks() : AllNetworks())
      : table->parsed()    ? are_dynamic ? PrintDynamicTable() : PrintTable()
         : runnable->parsed() ? WriteFile(path, RunnableModel())
      : dynamic->parsed()  ? WriteDynamic(name, path)
                           : WriteModel(name, path);
  if (status.ok()) return 0;
  std::cerr << "stowage_networks: " << status.message() << "\n";
  return 1;
}

}  // namespace
}  // namespace stowage::networks

int main(int argc, char** argv) try {
  return stowage::networks::Main(argc, argv);
} catch (const std::exception& error) {  // thrown by the command line's library
  std::fputs(error.what(), stderr);
  return 1;
}
