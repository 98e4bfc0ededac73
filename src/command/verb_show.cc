// SPDX-License-Identifier: Apache-2.0
// The verb `stowage show`: shows a plan as text in the terminal, or as a
// picture.
#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "src/command/answer.h"
#include "src/command/inputs.h"
#include "src/command/option_limits.h"
#include "src/command/options.h"
#include "src/command/output_files.h"
#include "src/command/plan_file_view.h"
#include "src/command/progress.h"
#include "src/command/screen.h"
#include "src/command/svg_file.h"
#include "src/command/verb.h"
#include "stowage/explain/plan_view.h"
#include "stowage/problem.h"
#include "stowage/views/terminal.h"

namespace stowage::cli {
namespace {

struct ShowArgs {
  std::string plan;
  // The sizes of the picture. They are also the sizes of the text.
  SvgArgs svg;
  bool ascii = false;
  ColorMode color = ColorMode::kAuto;
  absl::optional<uint64_t> from;
  absl::optional<uint64_t> to;
  Format format = Format::kText;
  InputOptions trace;
};

absl::Status CheckTextSizes(const ShowArgs& args) {
  absl::Status s = CheckSize("--width", args.svg.width, views::kTextLeastWidth,
                             views::kTextMaxWidth);
  return s.ok()
             ? CheckSize("--height", args.svg.height, 1, views::kTextMaxHeight)
             : s;
}

// Returns an error if an option that affects only the text is given but no text
// is printed.
absl::Status CheckHasText(const CLI::App& verb, const ShowArgs& args) {
  const bool is_json = args.format == Format::kJson;
  const bool has_svg = !args.svg.path.empty();
  if (!is_json && !has_svg) return absl::OkStatus();
  const absl::string_view why =
      is_json ? "on --format json; expected --format text"
              : "on a picture; expected the text, without --svg";
  absl::Status s =
      CheckNotGiven(verb, {"--ascii", "--color", "--from", "--to"}, why);
  if (!s.ok() || has_svg) return s;
  return CheckNotGiven(verb, {"--width", "--height"}, why);
}

absl::Status CheckShow(const CLI::App& verb, const ShowArgs& args) {
  absl::Status s = CheckSvg(args.svg, /*only_svg=*/false);
  if (s.ok()) s = CheckHasText(verb, args);
  if (s.ok()) {
    s = args.svg.path.empty()
            ? CheckTextSizes(args)
            : CheckOutputFiles({{"--svg", args.svg.path}}, {args.plan});
  }
  if (s.ok() && args.from && args.to && *args.from > *args.to) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--from ", *args.from, " --to ", *args.to,
        ": no task is between them; expected the first task before the last"));
  }
  return s;
}

// Returns the answer for programs. People see the picture instead.
Answer AnswerOf(const ShowArgs& args, const views::PlanView& view) {
  Answer answer;
  answer.AddData("plan", args.plan);
  answer.AddData("kind", std::string(PlanKindName(view.kind)));
  answer.AddData("records", view.offsets.size());
  answer.AddData("tasks", view.task_count);
  answer.AddData("total_size", view.total_size);
  answer.AddData("lower_bound", view.lower_bound);
  answer.AddData("bound_proved_by", view.bound_reason);
  answer.AddData("peak_breadth", view.peak_breadth);
  answer.AddData("peak_tasks", view.peak_tasks);
  answer.AddData("safe", !view.violation);
  if (view.violation) answer.AddData("violation", view.violation_text);
  return answer;
}

absl::StatusOr<std::string> ShowText(const ShowArgs& args,
                                     const views::PlanView& view) {
  views::TextOptions options;
  options.width = args.svg.width.value_or(ScreenWidth(views::kTextLeastWidth));
  options.height = args.svg.height.value_or(options.height);
  options.ascii = args.ascii || IsAsciiLocale();
  options.color = UsesColor(args.color);
  options.from = args.from;
  options.to = args.to;
  return views::PlanText(view, options);
}

Outcome RunShow(const CLI::App& verb, const ShowArgs& args) {
  if (absl::Status s = CheckShow(verb, args); !s.ok()) {
    return Misuse("show", s.message());
  }
  Progress progress(2);
  progress.Begin(absl::StrCat("reading ", args.plan));
  InputReader inputs(args.trace);
  const absl::StatusOr<views::PlanView> view = ReadPlanView(args.plan, &inputs);
  if (absl::Status s = inputs.CheckOptions(); !s.ok()) {
    return Misuse("show", s.message());
  }
  if (!view.ok()) return BadInput(view.status());
  progress.Begin(absl::StrCat("drawing ", args.plan));
  Outcome outcome;
  if (args.format == Format::kJson) {
    outcome.out = AnswerOf(args, *view).Render(args.format);
  } else if (args.svg.path.empty()) {
    absl::StatusOr<std::string> text = ShowText(args, *view);
    if (!text.ok()) return Misuse("show", text.status().message());
    outcome.out = *std::move(text);
  }
  if (absl::Status s = WriteSvg(args.svg, *view); !s.ok()) return BadInput(s);
  if (view->violation) outcome.code = ExitCode::kRefuted;
  outcome.err = UnsafeLine(args.plan, *view);
  return outcome;
}

}  // namespace

void AddShow(CLI::App* app, Action* action) {
  CLI::App* verb = app->add_subcommand(
      "show", "Show a plan as text in the terminal, or as a picture");
  auto args = std::make_shared<ShowArgs>();
  AddInput(
      verb, "PLAN", &args->plan,
      "A plan file (CSV), or a problem, program (JSON) or recording with a "
      "plan; - for standard input");
  AddSvgSize(
      verb,
      "; without --svg, of the text: --width in columns (default: those of the "
      "terminal, else 80), --height in lines of the arena (default 12)",
      &args->svg);
  verb->add_flag(
      "--ascii", args->ascii,
      "Use only ASCII characters; the default if the locale is not UTF-8");
  AddColor(verb, &args->color);
  AddParsed(verb, "--from", "T", "The first task to show", ParseNumber,
            &args->from);
  AddParsed(verb, "--to", "T", "The last task to show", ParseNumber, &args->to);
  AddSvg(verb, &args->svg);
  AddTraceOptions(verb, &args->trace);
  AddFormat(verb, &args->format);
  verb->footer(
      "Example:\n"
      "  stowage plan data/traces/unet_plus_plus.csv --strategy greedy_by_size "
      "-o - |\n"
      "    stowage show -");
  verb->callback([action, args, verb] {
    *action = [args, verb] { return RunShow(*verb, *args); };
  });
}

}  // namespace stowage::cli
