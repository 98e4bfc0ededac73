// SPDX-License-Identifier: Apache-2.0
// Prints, as a Markdown table, how much memory in-place sharing saves. Three
// columns show the size of the arena: with outputs that share the memory of
// inputs wherever possible (fixed), with a planner that chooses which tensors
// share (groups), and without sharing (none). The other columns show the number
// of groups that the planner keeps, and the bytes that operators do not have to
// copy with `fixed` and with `groups`. The models are planned but not run.
//
//   stowage_sharing [--io-lifetime use] [STRATEGY] MODEL.tflite...
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "bench/timed_graph.h"
#include "stowage/constraints.h"
#include "stowage/harness/arena_planner.h"
#include "stowage/harness/interpreter.h"
#include "stowage/tflite/lifetimes.h"
#include "stowage/tflite/model.h"
#include "stowage/tflite/sharing.h"

namespace stowage::bench {
namespace {

struct SharingCell {
  size_t arena = 0;    // bytes
  size_t avoided = 0;  // bytes that are not copied
  size_t groups = 0;   // groups of the plan
};

absl::StatusOr<SharingCell> PlanShared(
    const Model& model, const harness::InterpreterOptions& options) {
  const auto interpreter = harness::Interpreter::Create(model, options);
  if (!interpreter.ok()) return interpreter.status();
  harness::Subgraph& graph = (*interpreter)->primary();
  absl::Status status = graph.Allocate();
  if (!status.ok()) return status;
  const harness::MemoryPlan& plan = graph.plan();
  std::set<uint32_t> groups;
  for (const RecordPlace& place : plan.tensor_places) {
    if (place.group != kNoGroup) groups.insert(place.group);
  }
  return SharingCell{
      plan.arena_bytes,
      CountCopiesAvoided(plan.graph, plan.lifetimes, plan.tensor_places),
      groups.size()};
}

absl::Status PrintSharing(const std::string& path,
                          harness::InterpreterOptions options) {
  const auto model = Model::Read(path);
  if (!model.ok()) return model.status();
  std::vector<SharingCell> cells;
  for (const Sharing sharing :
       {Sharing::kFixed, Sharing::kGroups, Sharing::kNone}) {
    options.sharing = sharing;
    const absl::StatusOr<SharingCell> cell = PlanShared(**model, options);
    if (!cell.ok()) return cell.status();
    cells.push_back(*cell);
  }
  std::printf("| %s | %zu | %zu | %zu | %zu | %zu | %zu |\n",
              ModelName(path).c_str(), cells[0].arena, cells[1].arena,
              cells[2].arena, cells[1].groups, cells[0].avoided,
              cells[1].avoided);
  return absl::OkStatus();
}

int Main(absl::Span<char*> args) {
  harness::InterpreterOptions options;
  options.strategy = "skyline";
  if (args.size() > 1 && absl::string_view(args[0]) == "--io-lifetime") {
    options.io_lifetime = absl::string_view(args[1]) == "use"
                              ? IoLifetime::kUse
                              : IoLifetime::kKeep;
    args.remove_prefix(2);
  }
  if (!args.empty() && !absl::EndsWith(args[0], ".tflite")) {
    options.strategy = args[0];
    args.remove_prefix(1);
  }
  if (args.empty()) {
    std::fputs(
        "usage: stowage_sharing [--io-lifetime use] [STRATEGY] "
        "MODEL.tflite...\n",
        stderr);
    return 2;
  }
  std::puts(
      "| model | fixed | groups | none | groups kept | not copied: fixed | "
      "groups |");
  std::puts("|---|--:|--:|--:|--:|--:|--:|");
  return PrintRows(args, [&](const std::string& path) {
    return PrintSharing(path, options);
  });
}

}  // namespace
}  // namespace stowage::bench

int main(int argc, char** argv) {
  return stowage::bench::Main(
      absl::MakeSpan(argv, static_cast<size_t>(argc)).subspan(1));
}
