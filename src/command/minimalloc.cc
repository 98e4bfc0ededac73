// SPDX-License-Identifier: Apache-2.0
#include "src/command/minimalloc.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "src/command/interruption.h"
#include "src/command/options.h"
#include "src/command/screen.h"
#include "src/command/text.h"
#include "src/command/verb.h"
#include "stowage/io/minimalloc_file.h"
#include "stowage/io/read_file.h"
#include "stowage/io/write_file.h"
#include "stowage/planner.h"
#include "stowage/problem.h"
#include "stowage/solution.h"
#include "stowage/strategy.h"
#include "stowage/verify.h"
#include "stowage/version.h"

namespace stowage::cli {
namespace {

constexpr absl::string_view kName = "stowage-minimalloc";

// Flags that tune the search of MiniMalloc. They have no effect here, because
// Stowage uses a different search.
constexpr const char* kSearchFlags[] = {
    "--canonical_only",  "--section_inference",     "--dynamic_ordering",
    "--check_dominance", "--unallocated_floor",     "--static_preordering",
    "--monotonic_floor", "--dynamic_decomposition", "--hatless_pruning"};
// The other flags that have no value.
constexpr const char* kSwitches[] = {"--validate", "--minimize_capacity",
                                     "--print_solution"};
constexpr char kHeuristics[] = "--preordering_heuristics";

struct MinimallocArgs {
  int64_t capacity = 0;
  std::string input;
  std::string output;
  absl::Duration timeout = absl::InfiniteDuration();
  bool validate = false;
  bool minimize_capacity = false;
  bool print_solution = false;
};

Outcome Refused(absl::string_view message) {
  return Failure(ExitCode::kRefuted, message);
}

absl::StatusOr<int64_t> ParseCapacity(absl::string_view text) {
  int64_t capacity = 0;
  if (absl::SimpleAtoi(text, &capacity)) return capacity;
  return absl::InvalidArgumentError(
      absl::StrCat("'", text, "'; expected a number of bytes"));
}

absl::StatusOr<absl::Duration> ParseTimeout(absl::string_view text) {
  absl::Duration timeout;
  if (absl::ParseDuration(text, &timeout)) return timeout;
  return absl::InvalidArgumentError(
      absl::StrCat("'", text, "'; expected a time, as in 10s, 1m30s or inf"));
}

absl::StatusOr<std::string> ParsePath(absl::string_view text) {
  return std::string(text);
}

// Returns whether the flag is one without a value.
bool IsSwitch(absl::string_view flag) {
  return absl::c_linear_search(kSwitches, flag) ||
         absl::c_linear_search(kSearchFlags, flag);
}

// Returns a flag in the form that CLI11 reads: "-noname" becomes
// "--name=false".
std::string NormalizedFlag(absl::string_view flag) {
  flag.remove_prefix(flag[1] == '-' ? 2 : 1);
  const size_t name_size = std::min(flag.find('='), flag.size());
  const absl::string_view value = flag.substr(name_size);
  const std::string name =
      absl::StrReplaceAll(flag.substr(0, name_size), {{"-", "_"}});
  absl::string_view negated = name;
  if (absl::ConsumePrefix(&negated, "no")) {
    absl::ConsumePrefix(&negated, "_");
    const std::string positive = absl::StrCat("--", negated);
    if (IsSwitch(positive) && value.empty()) {
      return absl::StrCat(positive, "=false");
    }
  }
  return absl::StrCat("--", name, value);
}

// Returns the arguments in the form that CLI11 reads, in reverse order. Like
// MiniMalloc, accepts flags with one hyphen; like its Python command, accepts
// hyphens between the words of a flag.
std::vector<std::string> Normalized(int argc, const char* const* argv) {
  std::vector<std::string> arguments;
  for (int k = argc - 1; k > 0; --k) {
    const absl::string_view argument = argv[k];
    const bool is_flag =
        argument.size() > 2 && argument[0] == '-' &&
        (argument[1] == '-' ||
         absl::ascii_isalpha(static_cast<unsigned char>(argument[1])));
    arguments.push_back(is_flag ? NormalizedFlag(argument)
                                : std::string(argument));
  }
  return arguments;
}

// Adds a flag that may be negated: --validate, --novalidate, --validate=false.
CLI::Option* AddSwitch(CLI::App* app, const std::string& name,
                       const std::string& help, bool* target) {
  return app->add_flag(name, *target, help);
}

// Adds an option that may be repeated. The last value is used.
template <typename Value>
void AddLast(CLI::App* app, const std::string& name, const std::string& example,
             const std::string& help,
             absl::StatusOr<Value> (*parse)(absl::string_view), Value* target) {
  AddParsed(app, name, example, help, parse, target)->take_last();
}

void AddFlags(CLI::App* app, MinimallocArgs* args) {
  AddLast(app, "--capacity", "BYTES", "Maximum bytes of a plan (default 0)",
          ParseCapacity, &args->capacity);
  AddLast(app, "--input", "FILE", "The CSV file to read; - for standard input",
          ParsePath, &args->input);
  AddLast(app, "--output", "FILE",
          "The CSV file to write: the input with offset as its last column; - "
          "for standard output (default: nothing is written)",
          ParsePath, &args->output);
  AddLast(app, "--timeout", "TIME",
          "Stop the search after this time, as in 10s or 1m30s (default inf)",
          ParseTimeout, &args->timeout);
  AddSwitch(app, "--validate", "Check the plan once more, and print the result",
            &args->validate);
  AddSwitch(app, "--minimize_capacity",
            "Search for the smallest plan instead of the first that fits",
            &args->minimize_capacity);
  AddSwitch(app, "--print_solution",
            "Print the plan as a picture in LaTeX (TikZ) on standard output",
            &args->print_solution);
}

// The search flags on the command line, which have no effect.
class IgnoredFlags {
 public:
  explicit IgnoredFlags(CLI::App* app) {
    for (const char* const name : kSearchFlags) {
      options_.push_back(AddSwitch(app, name, "Has no effect", &value_));
    }
    options_.push_back(app->add_option(kHeuristics, text_, "Has no effect")
                           ->type_name("LIST")
                           ->take_last());
    for (CLI::Option* const option : options_) {
      option->group("Flags of MiniMalloc's search");
    }
  }
  IgnoredFlags(const IgnoredFlags&) = delete;
  IgnoredFlags& operator=(const IgnoredFlags&) = delete;

  // Returns a line that names the search flags that were given, or an empty
  // string if none were given.
  std::string Note() const {
    std::vector<std::string> given;
    for (const CLI::Option* const option : options_) {
      if (option->count() == 0) continue;
      given.push_back(absl::StrCat("--", option->get_lnames().front()));
    }
    if (given.empty()) return "";
    return absl::StrCat(kName, ": ", absl::StrJoin(given, ", "),
                        ": no effect; the search is not that of MiniMalloc\n");
  }

 private:
  bool value_ = false;
  std::string text_;
  std::vector<CLI::Option*> options_;
};

// Returns a LaTeX document with a drawing of the plan: one rectangle per
// record.
std::string Picture(const Problem& problem, const OffsetsAssignment& plan,
                    size_t capacity) {
  constexpr double kWidth = 16;  // the unit is a centimetre
  constexpr double kHeight = 9;
  size_t tasks = 1;
  for (const auto& record : problem.records()) {
    tasks = std::max(tasks, record.last_task + 1);
  }
  const double across = kWidth / static_cast<double>(tasks);
  const double up =
      kHeight / static_cast<double>(std::max<size_t>(capacity, 1));
  std::string text =
      "\\documentclass[tikz]{standalone}\n\\begin{document}\n"
      "\\begin{tikzpicture}\n";
  const auto add = [&](const char* style, double x, double y, double width,
                       double height, const std::string& label) {
    absl::StrAppendFormat(&text,
                          "\\draw[%s] (%.4f,%.4f) rectangle ++(%.4f,%.4f)",
                          style, x, y, width, height);
    if (!label.empty()) {
      absl::StrAppendFormat(&text, " node[midway,black] {\\detokenize{%s}}",
                            label);
    }
    absl::StrAppend(&text, ";\n");
  };
  for (size_t k = 0; k < problem.size(); ++k) {
    const auto& record = problem.records()[k];
    if (record.tensor_size == 0) continue;
    const double length =
        static_cast<double>(record.last_task - record.first_task) + 1;
    add("gray,fill=gray!20", across * static_cast<double>(record.first_task),
        up * static_cast<double>(plan.offsets[k]), across * length,
        up * static_cast<double>(record.tensor_size),
        OneLine(problem.names()[k]));
  }
  add("thick", 0, 0, kWidth, up * static_cast<double>(capacity), "");
  absl::StrAppend(&text, "\\end{tikzpicture}\n\\end{document}\n");
  return text;
}

// Writes the plan to the file of --output, and returns the outcome.
Outcome Deliver(const MinimallocArgs& args, const MinimallocFile& file,
                const Problem& problem, const Solution& solution) {
  const OffsetsAssignment& plan = *solution.offsets();
  Outcome outcome;
  if (args.validate) {
    if (const auto violation = FindViolation(problem, plan)) {
      return Refused(
          absl::StrCat("Validation FAIL: ", Describe(*violation, problem)));
    }
    outcome.err =
        absl::StrCat("Validation PASS, height ", plan.total_size, "\n");
  }
  if (args.print_solution) {
    outcome.out = Picture(problem, plan, static_cast<size_t>(args.capacity));
  }
  if (args.output.empty()) return outcome;
  const std::string csv = FormatMinimallocPlan(file, plan);
  if (args.output == "-") {
    absl::StrAppend(&outcome.out, csv);
    return outcome;
  }
  const absl::Status written = WriteFile(args.output, csv);
  return written.ok() ? outcome : Refused(written.message());
}

// Returns a line that says how many lines of the file are ignored, or an empty
// string if there are none.
std::string NoteOfIgnoredLines(const MinimallocArgs& args,
                               const MinimallocFile& file) {
  if (file.ignored_lines == 0) return "";
  return absl::StrCat(OneLine(args.input), ":", file.rows.size() + 2,
                      ": a blank line ends the file; ",
                      Count(file.ignored_lines, "line"), " after it ignored\n");
}

absl::StatusOr<Solution> Search(const MinimallocArgs& args,
                                const Problem& problem) {
  SearchArgs search;
  search.time_limit = args.timeout;
  SolveOptions options = SolveOptionsOf(search, args.timeout);
  options.decide = !args.minimize_capacity;
  // From here on, an interrupt must not terminate the command, because the
  // search stops soon after an interrupt, and its best plan is then used.
  BeginDelivery();
  return Solve(problem, "optimal", options);
}

Outcome RunPlanner(const MinimallocArgs& args) {
  if (args.input.empty()) {
    return Refused(absl::StrCat(kName, ": --input is required; expected it"));
  }
  if (args.capacity < 0) {
    return Refused(absl::StrCat(kName, ": --capacity: ", args.capacity,
                                "; expected at least 0"));
  }
  const absl::StatusOr<std::string> text = ReadFile(args.input);
  if (!text.ok()) return Refused(text.status().message());
  absl::StatusOr<MinimallocFile> file = ParseMinimallocCsv(*text, args.input);
  if (!file.ok()) return Refused(file.status().message());
  file->problem.capacity = static_cast<size_t>(args.capacity);
  const absl::StatusOr<Problem> problem = Problem::Create(file->problem);
  if (!problem.ok()) {
    return Refused(absl::StrCat(args.input, ": ", problem.status().message()));
  }
  const absl::Time start = absl::Now();
  const absl::StatusOr<Solution> solution = Search(args, *problem);
  const std::string elapsed = absl::StrFormat(
      "Elapsed time %.3fs\n", absl::ToDoubleSeconds(absl::Now() - start));
  if (!solution.ok()) {
    return Refused(absl::StrCat(args.input, ": ", solution.status().message()));
  }
  Outcome outcome =
      solution->has_plan()
          ? Deliver(args, *file, *problem, *solution)
          : Refused(absl::StrCat(args.input, ": no plan of at most ",
                                 args.capacity, " bytes: ", solution->reason));
  outcome.err =
      absl::StrCat(NoteOfIgnoredLines(args, *file), elapsed, outcome.err);
  return outcome;
}

}  // namespace

bool IsMinimalloc(absl::string_view program) {
  return program.substr(program.rfind('/') + 1) == kName;
}

Outcome RunMinimalloc(int argc, const char* const* argv) {
  CLI::App app(
      "Plans memory with the flags and files of MiniMalloc. The exit code is 1 "
      "for\nevery failure, and then no file is written.",
      std::string(kName));
  app.set_version_flag("--version",
                       absl::StrCat(kName, " ", STOWAGE_VERSION_STRING),
                       "Print the version and exit");
  app.set_help_flag("-h,--help", "Print this help and exit");
  app.footer(
      "Example:\n"
      "  stowage-minimalloc --capacity=12 --input=in.csv --output=out.csv");
  MinimallocArgs args;
  AddFlags(&app, &args);
  const IgnoredFlags ignored(&app);
  try {
    app.parse(Normalized(argc, argv));
  } catch (const CLI::ParseError& error) {
    std::ostringstream out;
    std::ostringstream err;
    if (app.exit(error, out, err) == 0) {
      return {ExitCode::kDone, FitScreen(out.str()), ""};
    }
    std::string message = error.what();
    const bool is_extra =
        error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError);
    if (is_extra) {
      message = absl::StrCat(message.substr(message.find(": ") + 2),
                             ": not known; expected flags of MiniMalloc");
    }
    return Refused(
        absl::StrCat(kName, ": ", message, " (see ", kName, " --help)"));
  }
  Outcome outcome = RunPlanner(args);
  outcome.err = absl::StrCat(ignored.Note(), outcome.err);
  return outcome;
}

}  // namespace stowage::cli
