// SPDX-License-Identifier: Apache-2.0
#include "src/command/cli.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <memory>
#include <new>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "src/command/interruption.h"
#include "src/command/minimalloc.h"
#include "src/command/notes.h"
#include "src/command/program_arguments.h"
#include "src/command/screen.h"
#include "src/command/text.h"
#include "src/command/verb.h"
#include "stowage/io/write_file.h"
#include "stowage/version.h"

namespace stowage::cli {
namespace {

// Returns the command of an example. A command that is too wide is continued on
// the next lines, as in a shell.
std::string FitCommand(absl::string_view command, size_t width) {
  constexpr absl::string_view kContinued = " \\";
  std::string text = " ";
  size_t column = 1;
  for (const absl::string_view word : absl::StrSplit(command, ' ')) {
    const bool wraps =
        column > 1 && column + 1 + word.size() + kContinued.size() > width;
    if (wraps) {
      absl::StrAppend(&text, kContinued, "\n     ");
      column = 5;
    }
    absl::StrAppend(&text, " ", word);
    column += 1 + word.size();
  }
  return text;
}

// Formats help that fits the terminal, and replaces CLI11's word "subcommand"
// by VERB.
class Help : public CLI::Formatter {
 public:
  Help() {
    column_width(kTextColumn);
    label("SUBCOMMAND", "VERB");
  }

  std::string make_footer(const CLI::App* app) const override {
    std::string text;
    absl::string_view separator;
    for (absl::string_view line :
         absl::StrSplit(CLI::Formatter::make_footer(app), '\n')) {
      const bool is_wide = line.size() > width_;
      const bool is_command = is_wide && absl::ConsumePrefix(&line, "  ");
      absl::StrAppend(&text, separator,
                      is_command ? FitCommand(line, width_) : line);
      separator = "\n";
    }
    return text;
  }

  // CLI11 leaves two empty lines between groups of options.
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override {
    return absl::StrReplaceAll(
        CLI::Formatter::make_help(app, std::move(name), mode),
        {{"\n\n\n", "\n\n"}});
  }

  std::string make_option_desc(const CLI::Option* option) const override {
    std::string text;
    size_t column = 0;
    for (const absl::string_view word :
         absl::StrSplit(option->get_description(), ' ')) {
      const bool wraps = column + 1 + word.size() > width_ - kTextColumn;
      if (column > 0) text += wraps ? '\n' : ' ';
      column = (wraps || column == 0 ? 0 : column + 1) + word.size();
      absl::StrAppend(&text, word);
    }
    return text;
  }

 private:
  static constexpr size_t kTextColumn = 28;
  const size_t width_ = ScreenLimits().width;
};

// Returns a message that lists the verbs. The message of CLI11 would only
// contain the number of expected verbs.
std::string MissingVerb(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* verb : app.get_subcommands({})) {
    names.push_back(verb->get_name());
  }
  const std::vector<std::string> given = app.remaining();
  return absl::StrCat(given.empty()
                          ? "no verb"
                          : absl::StrCat("'", given.front(), "' is not a verb"),
                      "; expected one of ", absl::StrJoin(names, ", "));
}

bool IsLikeOption(const std::string& argument) {
  return argument.size() > 1 && argument[0] == '-' && argument != "--";
}

// Returns the arguments that the verb does not know, except for "--", which
// CLI11 also lists.
std::vector<std::string> UnknownArguments(const CLI::App& verb) {
  std::vector<std::string> unknown = verb.remaining();
  unknown.erase(std::remove(unknown.begin(), unknown.end(), "--"),
                unknown.end());
  return unknown;
}

// Returns a message about one argument that the verb does not know. The message
// of CLI11 would list all such arguments, in reverse order.
std::string UnknownArgument(const CLI::App& verb) {
  const std::vector<std::string> unknown = UnknownArguments(verb);
  const auto found = std::find_if(unknown.begin(), unknown.end(), IsLikeOption);
  if (found != unknown.end()) {
    return absl::StrCat(*found,
                        ": not an option of this verb; expected one of those "
                        "that it has");
  }
  if (!verb.get_subcommands({}).empty()) return MissingVerb(verb);
  std::vector<std::string> known;
  for (const CLI::Option* option : verb.get_options({})) {
    if (option->get_positional()) known.push_back(option->get_name(true));
  }
  return absl::StrCat("'", unknown.front(),
                      "': an argument too many; expected ",
                      known.empty() ? "none" : absl::StrJoin(known, " "));
}

// Returns the message for an error that CLI11 reports. Like every message of
// the command, it first states what is wrong and then what is expected.
std::string MessageOf(const CLI::App& verb, const CLI::ParseError& error) {
  const std::string kind = error.get_name();
  std::string problem = error.what();
  const bool is_missing = kind == "RequiredError";
  if (is_missing && !verb.get_subcommands({}).empty()) return MissingVerb(verb);
  // If an option is mistyped and another one is missing, the message is about
  // the mistyped option. An error about unknown arguments is recognized by its
  // exit code, because its name is the name of the verb.
  const std::vector<std::string> unknown = UnknownArguments(verb);
  const bool is_extra =
      error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError);
  if ((is_extra && !unknown.empty()) ||
      std::any_of(unknown.begin(), unknown.end(), IsLikeOption)) {
    return UnknownArgument(verb);
  }
  if (is_missing) return absl::StrCat(problem, "; expected it");
  if (kind == "RequiresError") return absl::StrCat(problem, "; expected both");
  if (kind == "ExcludesError") {
    return absl::StrCat(problem, "; expected one of the two");
  }
  if (kind == "ArgumentMismatch") {
    return absl::StrCat(problem.substr(0, problem.find(':')),
                        ": no value, or several; expected one");
  }
  if (kind == "ConversionError") {
    absl::string_view option = problem;
    absl::ConsumePrefix(&option, "Could not convert: ");
    const std::pair<absl::string_view, absl::string_view> value =
        absl::StrSplit(option, absl::MaxSplits(" = ", 1));
    return absl::StrCat(value.first, ": '", value.second,
                        "'; expected no value");
  }
  return problem;
}

// Returns the outcome for an error of CLI11. CLI11 also reports a request for
// help or for the version as an error, with exit code 0.
Outcome OutcomeOf(const CLI::App& app, const CLI::ParseError& error) {
  std::ostringstream out;
  std::ostringstream err;
  if (app.exit(error, out, err) == 0) {
    return {ExitCode::kDone, FitScreen(out.str()), ""};
  }
  std::string command = "stowage";
  // Finds the innermost verb of the command line. If an outer verb has
  // arguments that it does not know, the message is about the outer verb
  // instead.
  const CLI::App* verb = &app;
  while (!verb->get_subcommands().empty() && UnknownArguments(*verb).empty()) {
    verb = verb->get_subcommands().front();
    absl::StrAppend(&command, " ", verb->get_name());
  }
  return Failure(ExitCode::kMisuse,
                 absl::StrCat(command, ": ", MessageOf(*verb, error), " (see ",
                              command, " --help)"));
}

Outcome Run(int argc, const char* const* argv) {
  CLI::App app(
      "Plans memory for tensors: tensors that are never live at the same task "
      "may\nshare bytes.",
      "stowage");
  app.set_version_flag("--version", "stowage " STOWAGE_VERSION_STRING,
                       "Print the version and exit");
  app.set_help_flag("-h,--help", "Print this help and exit");
  app.formatter(std::make_shared<Help>());
  app.require_subcommand(1);
  app.footer(
      "Example:\n"
      "  stowage compare data/traces\n"
      "\n"
      "Exit codes: 0 done; 1 a check failed; 2 wrong usage; 3 bad input;\n"
      "4 proved infeasible; 5 out of time or memory, or a limit reached.");
  SetProgramArguments(argc, argv);
  Action action;
  AddVerbs(&app, &action);
  for (CLI::App* verb : app.get_subcommands({})) verb->group("Verbs");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return OutcomeOf(app, error);
  }
  return action();
}

// True if every failure has the exit code 1, as users of MiniMalloc expect.
bool has_one_failure = false;

int CodeOf(ExitCode code) {
  const bool is_failure = code != ExitCode::kDone;
  return static_cast<int>(has_one_failure && is_failure ? ExitCode::kRefuted
                                                        : code);
}

int Print(const Outcome& outcome) {
  std::fputs(TakeNotes().c_str(), stderr);
  std::fputs(outcome.err.c_str(), stderr);
  if (outcome.out.empty()) return CodeOf(outcome.code);
  const absl::Status written = WriteFile("-", outcome.out);
  if (written.ok()) return CodeOf(outcome.code);
  std::fprintf(stderr, "%s\n", OneLine(written.message()).c_str());
  return CodeOf(ExitCode::kBadInput);
}

// Terminates the command when memory is exhausted, because the containers of
// the library cannot be unwound after a failed allocation. Removes the
// temporary file, so that no half-written file remains.
[[noreturn]] void EndWithoutMemory() {
  RemoveTemporaryFile();
  constexpr absl::string_view kMessage = "stowage: out of memory\n";
  [[maybe_unused]] const ssize_t written =
      write(STDERR_FILENO, kMessage.data(), kMessage.size());
  _exit(CodeOf(ExitCode::kGaveUp));
}

}  // namespace

int Main(int argc, const char* const* argv) {
  const bool is_minimalloc = argc > 0 && IsMinimalloc(argv[0]);
  has_one_failure = is_minimalloc;
  std::set_new_handler(EndWithoutMemory);
  // If this signal is ignored, a write beyond the file size limit fails with an
  // ordinary error instead of terminating the command.
  std::signal(SIGXFSZ, SIG_IGN);
  // The library itself throws nothing, but the libraries that it uses may
  // throw.
  try {
    const SignalHandler signal_handler;
    const Outcome outcome =
        is_minimalloc ? RunMinimalloc(argc, argv) : Run(argc, argv);
    BeginDelivery();
    const int code = Print(outcome);
    EndIfInterrupted();
    return code;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "stowage: %s\n", error.what());
  }
  return CodeOf(ExitCode::kBadInput);
}

}  // namespace stowage::cli
