// SPDX-License-Identifier: Apache-2.0
#include "tests/house/include_table.h"

#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"

namespace stowage::house {
namespace {

using Parts = std::set<std::string>;

// A part may include itself and these. "strategy" is the interface; one
// strategy knows no other, and nobody but tests knows any of them. "tools" are
// the sources of src/core that no public header promises: what strategies have
// in common, but for the generator of random numbers, "random", which all may
// use. The verifier shares none of it.
const std::map<std::string, Parts>& Table() {
  static const auto* const table = [] {
    const Parts sizes = {"tensor_size", "usage_record", "error_payload"};
    Parts plans = sizes;
    plans.insert(
        {"assignment", "profile", "feature", "task_order", "constraints"});
    Parts solution = plans;
    solution.insert("problem");
    Parts planner = solution;
    planner.insert({"solution", "strategy", "verify", "verify_sharing",
                    "contradiction", "lowering"});
    Parts everything = planner;
    everything.insert({"planner", "order_planner", "free_order", "compare",
                       "random", "trace", "tflite", "trace_problem", "version",
                       "umbrella", "testing", "micro"});
    Parts commands = everything;
    commands.insert({"certificate", "harness", "problem_file", "views"});
    Parts strategy = solution;
    strategy.insert({"solution", "strategy", "tools", "random", "bodies"});
    return new std::map<std::string, Parts>{
        {"version", {}},
        {"micro", {}},
        {"tensor_size", {"error_payload"}},
        {"feature", {}},
        {"error_payload", {"feature"}},
        {"usage_record", {"tensor_size", "error_payload"}},
        {"assignment", sizes},
        {"task_order", sizes},
        {"constraints", {"tensor_size", "usage_record", "task_order"}},
        {"free_order",
         {"tensor_size", "usage_record", "error_payload", "task_order"}},
        {"profile", sizes},
        {"tools", solution},
        {"bodies",
         [&] {
           Parts engine = solution;
           engine.insert({"solution", "tools", "random", "lowering"});
           return engine;
         }()},
        {"random", {}},
        // Problems written as simpler ones.
        {"lowering",
         [&] {
           Parts problems = solution;
           problems.insert("solution");
           return problems;
         }()},
        {"verify", plans},
        // The part of the verifier that knows problems.
        {"verify_sharing",
         [&] {
           Parts judges = plans;
           judges.insert({"problem", "verify"});
           return judges;
         }()},
        {"problem", plans},
        // Judged by the verifier's own means.
        {"contradiction",
         [&] {
           Parts judges = solution;
           judges.insert({"solution", "verify", "verify_sharing"});
           return judges;
         }()},
        {"solution", solution},
        {"strategy",
         [&] {
           Parts interface = solution;
           interface.insert("solution");
           return interface;
         }()},
        {"a strategy", strategy},
        {"planner", planner},
        {"order_planner",
         [&] {
           Parts orders = planner;
           orders.insert({"planner", "free_order", "tools"});
           return orders;
         }()},
        {"compare",
         [&] {
           Parts rows = planner;
           rows.insert("planner");
           return rows;
         }()},
        {"certificate",
         [&] {
           Parts proofs = solution;
           proofs.insert({"solution", "verify", "contradiction", "trace"});
           return proofs;
         }()},
        {"trace",
         {"tensor_size", "usage_record", "assignment", "error_payload",
          "constraints", "task_order"}},
        {"problem_file",
         {"tensor_size", "usage_record", "assignment", "error_payload",
          "constraints", "task_order", "free_order", "trace"}},
        {"tflite",
         // Plans inside models are made and judged here.
         {"tensor_size", "usage_record", "assignment", "error_payload", "trace",
          "micro", "problem", "solution", "strategy", "planner", "constraints",
          "task_order"}},
        {"trace_problem",
         [&] {
           Parts both = solution;
           both.insert("trace");
           return both;
         }()},
        {"views",
         [&] {
           Parts pictures = planner;
           pictures.insert({"planner", "compare", "trace", "trace_problem"});
           return pictures;
         }()},
        {"umbrella", everything},
        {"testing",
         [&] {
           Parts kit = everything;
           kit.insert({"tools", "program"});
           return kit;
         }()},
        {"harness",
         [&] {
           Parts runs = everything;
           runs.insert("tools");
           return runs;
         }()},
        {"a delegate",
         [&] {
           Parts runs = everything;
           runs.insert({"tools", "harness"});
           return runs;
         }()},
        {"program",
         [&] {
           Parts runs = everything;
           runs.insert("problem_file");
           return runs;
         }()},
        {"clp", {"tools"}},
        {"cli", commands},
    };
  }();
  return *table;
}

// Strategies that build on others, by the functions of their headers.
const std::map<std::string, Parts>& StrategyTable() {
  static const auto* const table = new std::map<std::string, Parts>{
      {"strategy greedy_best",
       {"strategy greedy_by_breadth", "strategy greedy_by_size",
        "strategy greedy_in_order"}},
      {"strategy optimal",
       {"strategy equality", "strategy greedy_by_breadth",
        "strategy greedy_by_size", "strategy greedy_in_order"}},
  };
  return *table;
}

// Libraries that only some parts may use; any may use abseil, the standard
// library and the system. Tests may use all of them.
const std::map<std::string, Parts>& LibraryTable() {
  static const auto* const table = new std::map<std::string, Parts>{
      {"absl", {"*"}},
      {"lemon", {"strategy mincostflow"}},
      {"coin", {"clp"}},
      {"flatbuffers", {"tflite", "harness", "testing"}},
      {"xnnpack.h", {"delegate xnnpack"}},
      {"pthreadpool.h", {"delegate xnnpack"}},
      {"oneapi", {"delegate onednn"}},
      {"CL", {"delegate opencl"}},
      {"gemmlowp", {"harness"}},
      {"CLI", {"cli"}},
      {"nlohmann", {"certificate", "problem_file", "views", "harness", "cli"}},
      {"zlib.h", {"views"}},
      {"openssl", {"harness"}},
      {"sanitizer", {"harness"}},
      {"rapidcheck", {"testing"}},
      {"rapidcheck.h", {"testing"}},
      {"gtest", {}},
      {"gmock", {}},
      {"benchmark", {}},
  };
  return *table;
}

// Sources of src/core that are not called after their header.
const std::map<std::string, std::string>& CoreAliases() {
  static const auto* const aliases = new std::map<std::string, std::string>{
      {"builtin_strategies", "strategy"},
      {"check_problem", "problem"},
      {"check_constraints", "problem"},
      {"check_places", "problem"},
      {"verify_constraints", "verify_sharing"},
      {"lower_problem", "lowering"},
      {"relax_to_hulls", "lowering"},
      {"fixed_groups", "lowering"},
      {"group_choice", "planner"},
      {"pool_shortage", "contradiction"},
      {"solve_simpler", "planner"},
      {"constrained_bound", "problem"},
      {"describe_violation", "verify_sharing"},
      {"footprint", "verify_sharing"},
      {"group_footprints", "verify_sharing"},
      {"hit_counter", "verify_sharing"},
      {"verify_problem", "planner"},
      {"depth_tree", "profile"},
      {"interval_ranks", "profile"},
      {"linked_strategies", "strategy"},
      {"reallocation_graph", "usage_record"},
      {"record_errors", "error_payload"},
      {"stowage", "umbrella"},
  };
  return *aliases;
}

// The part that a file of include/stowage/ or src/core/ is called after.
std::string NamedPart(absl::string_view file) {
  const std::string stem(file.substr(0, file.find('.')));
  const auto alias = CoreAliases().find(stem);
  if (alias != CoreAliases().end()) return alias->second;
  return Table().count(stem) > 0 ? stem : "";
}

// The row of a part: one for all strategies, and one for all delegates.
std::string RowOf(const std::string& part) {
  if (absl::StartsWith(part, "strategy ")) return "a strategy";
  if (absl::StartsWith(part, "delegate ")) return "a delegate";
  return part;
}

bool IsOutside(absl::string_view path) {
  for (const absl::string_view folder :
       {"tests/", "fuzz/", "bench/", "data/", "docs/"}) {
    if (absl::StartsWith(path, folder)) return true;
  }
  return false;
}

std::string LibraryOffence(absl::string_view path, absl::string_view include) {
  const std::string name(include.substr(1, include.size() - 2));
  const size_t slash = name.find('/');
  const std::string library = name.substr(0, slash);
  const auto entry = LibraryTable().find(library);
  if (entry == LibraryTable().end()) {
    // <vector> and <sys/stat.h> are anybody's.
    if (absl::StartsWith(include, "<")) return "";
    return absl::StrCat(path, ": ", include, " is no path from a root");
  }
  const Parts& users = entry->second;
  if (IsOutside(path) || users.count("*") > 0 ||
      users.count(PartOf(path)) > 0) {
    return "";
  }
  return absl::StrCat(path, ": ", library, " is not for this part");
}

}  // namespace

std::vector<std::string> IncludesOf(absl::string_view content) {
  std::vector<std::string> includes;
  for (absl::string_view line : absl::StrSplit(content, '\n')) {
    line = absl::StripAsciiWhitespace(line);
    if (!absl::ConsumePrefix(&line, "#")) continue;
    line = absl::StripLeadingAsciiWhitespace(line);
    if (!absl::ConsumePrefix(&line, "include")) continue;
    line = absl::StripLeadingAsciiWhitespace(line);
    const size_t end = line.find_first_of("\">", 1);
    if (end != absl::string_view::npos) {
      includes.emplace_back(line.substr(0, end + 1));
    }
  }
  return includes;
}

std::string PartOf(absl::string_view path) {
  if (IsOutside(path)) return "outside";
  const std::vector<std::string> steps = absl::StrSplit(path, '/');
  if (absl::StartsWith(path, "include/stowage/") && steps.size() == 3) {
    return NamedPart(steps[2]);
  }
  if (absl::StartsWith(path, "src/core/") && steps.size() == 3) {
    const std::string part = NamedPart(steps[2]);
    return part.empty() ? "tools" : part;
  }
  if (absl::StartsWith(path, "strategies/") && steps.size() > 2) {
    return absl::StrCat("strategy ", steps[1]);
  }
  if (absl::StartsWith(path, "src/delegates/") && steps.size() > 3) {
    return absl::StrCat("delegate ", steps[2]);
  }
  const bool is_room = absl::StartsWith(path, "include/stowage/") ||
                       absl::StartsWith(path, "src/");
  if (is_room && steps.size() > 2) {
    const std::string& room = steps[0] == "src" ? steps[1] : steps[2];
    if (Table().count(room) > 0) return room;
  }
  return "";
}

std::string ProjectFileOf(absl::string_view include) {
  if (!absl::ConsumePrefix(&include, "\"")) return "";
  absl::ConsumeSuffix(&include, "\"");
  if (absl::StartsWith(include, "stowage/")) {
    return absl::StrCat("include/", include);
  }
  if (absl::StartsWith(include, "src/") || IsOutside(include)) {
    return std::string(include);
  }
  const std::vector<std::string> steps = absl::StrSplit(include, '/');
  if (steps.size() > 1 && LibraryTable().count(steps[0]) == 0) {
    return absl::StrCat("strategies/", include);
  }
  return "";
}

std::string IncludeOffence(absl::string_view path, absl::string_view include) {
  const std::string part = PartOf(path);
  if (part.empty()) {
    return absl::StrCat(path, ": the table of includes does not know it");
  }
  const std::string file = ProjectFileOf(include);
  if (file.empty()) return LibraryOffence(path, include);
  const std::string included = PartOf(file);
  if (part == "outside" || part == included) return "";
  const auto row = Table().find(RowOf(part));
  if (row != Table().end() && row->second.count(included) > 0) return "";
  const auto builds_on = StrategyTable().find(part);
  if (builds_on != StrategyTable().end() &&
      builds_on->second.count(included) > 0) {
    return "";
  }
  return absl::StrCat(path, ": ", part, " may not include ", include,
                      included.empty() ? "" : absl::StrCat(" of ", included));
}

}  // namespace stowage::house
