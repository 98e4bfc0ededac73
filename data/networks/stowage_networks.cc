// SPDX-License-Identifier: Apache-2.0
// The command `stowage_networks`: writes the networks as models.
//
//   stowage_networks list
//   stowage_networks model unet -o unet.tflite
//   stowage_networks runnable -o residual_int8.tflite
//   stowage_networks table             the table in data/README.md
#include <cstdio>
#include <exception>
#include <iostream>
#include <string>

#include "CLI/CLI.hpp"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "data/networks/networks.h"
#include "data/networks/runnable.h"
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

absl::Status PrintNames() {
  std::string names;
  for (const NamedNetwork& named : AllNetworks()) {
    absl::StrAppend(&names, named.name, "\n");
  }
  return WriteFile("-", names);
}

int Main(int argc, char** argv) {
  CLI::App app("Writes the networks of the shipped traces as models.");
  app.require_subcommand(1);
  const auto* list = app.add_subcommand("list", "their names");
  const auto* table = app.add_subcommand("table", "their traces, as Markdown");
  auto* model = app.add_subcommand("model", "one of them, as a .tflite file");
  std::string name;
  std::string path;
  model->add_option("NAME", name)->required();
  model->add_option("-o,--output", path)->required();
  auto* runnable = app.add_subcommand("runnable", "the model that has weights");
  runnable->add_option("-o,--output", path)->required();
  CLI11_PARSE(app, argc, argv);

  const absl::Status status = list->parsed()    ? PrintNames()
                              : table->parsed() ? PrintTable()
                              : runnable->parsed()
                                  ? WriteFile(path, RunnableModel())
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
