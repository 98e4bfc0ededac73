// SPDX-License-Identifier: Apache-2.0
// The verb `stowage record`: runs a program, and records its allocations.
#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "src/command/answer.h"
#include "src/command/options.h"
#include "src/command/preload_library.h"
#include "src/command/program_arguments.h"
#include "src/command/verb.h"
#include "stowage/recordings/record_program.h"

namespace stowage::cli {
namespace {

namespace fs = std::filesystem;

constexpr absl::string_view kRecordLibrary = "libstowage_record.so";

struct RecordArgs {
  std::string folder;
  std::vector<std::string> command;
  RecordOptions options;
  Format format = Format::kText;
};

// Returns the exit code of the program. If a signal has terminated the program,
// people read the name of the signal as well.
Value EndOf(const RecordedProgram& program) {
  if (program.signal == 0) return program.exit_code;
  // NOLINTNEXTLINE(concurrency-mt-unsafe): a verb runs on one thread.
  const char* const name = strsignal(program.signal);
  return Value(program.exit_code,
               Value(absl::StrCat(program.exit_code, " (", name, ")")));
}

// Returns the number of events that are missing from all logs together.
uint64_t EventsLostBy(const RecordedProgram& program) {
  uint64_t lost = 0;
  for (const RecordedImage& image : program.images) {
    lost += image.info.lost_events;
  }
  return lost;
}

Answer AnswerOf(const RecordArgs& args, const RecordedProgram& program) {
  Answer answer;
  answer.Add("program", "program", args.command[0]);
  answer.Add("exit_code", "exit code", EndOf(program));
  answer.Add("folder", "folder", args.folder);
  if (!program.note.empty()) answer.Add("note", "note", program.note);
  if (!program.unreadable.empty()) {
    answer.Add("unreadable", "unreadable", program.unreadable);
  }
  const auto row = [&program](size_t i) -> std::vector<Value> {
    const RecordedImage& image = program.images[i];
    const LogInfo& info = image.info;
    return {fs::path(image.path).filename().string(),
            Data(info.program),
            Data(info.arguments),
            info.process,
            info.parent,
            Data(info.is_forked),
            info.allocations,
            info.peak_bytes,
            info.live_blocks,
            Data(info.live_bytes),
            Data(info.lost_events)};
  };
  answer.AddTable({{"image=log", "=program", "=arguments", "process>process",
                    "parent>parent", "=is_forked", "allocations>allocations",
                    "peak bytes>peak_bytes", "live at end>live_blocks",
                    "=live_bytes", "=lost_events"},
                   program.images.size(),
                   row},
                  "images");
  if (const uint64_t lost = EventsLostBy(program); lost > 0) {
    answer.SayLine(Phrase(lost, lost == 1 ? " event is" : " events are",
                          " lost; `stowage trace` says why"));
  }
  return answer;
}

Outcome RunRecord(const RecordArgs& args) {
  const absl::StatusOr<RecordedProgram> program = RecordProgram(
      args.command, args.folder, PreloadLibrary(kRecordLibrary), args.options);
  if (!program.ok()) return BadInput(program.status());
  const Answer answer = AnswerOf(args, *program);
  // A log with lost events is not the recording that was asked for, and a
  // script must be able to find out.
  const ExitCode code =
      EventsLostBy(*program) > 0 ? ExitCode::kGaveUp : ExitCode::kDone;
  // Standard output is used by the program, so text is written to standard
  // error.
  if (args.format == Format::kText) {
    return {code, "", answer.Render(Format::kText)};
  }
  return {code, answer.Render(args.format), ""};
}

}  // namespace

void AddRecord(CLI::App* app, Action* action) {
  CLI::App* verb =
      app->add_subcommand("record", "Run a program and record its allocations");
  auto args = std::make_shared<RecordArgs>();
  AddText(verb, "-o,--output", "FOLDER",
          "Write a log for each process image to this folder, which is created "
          "if it does not exist",
          &args->folder)
      ->required();
  verb->add_flag(
      "--touches", args->options.touches,
      "Also record when blocks of at least 4 KiB are touched, for lifetimes "
      "from the first touch to the last; slower, and only on Linux on x86-64");
  AddProgram(verb);
  AddFormat(verb, &args->format);
  verb->footer(
      "The exit code is 0 if the program was recorded, whatever its own exit "
      "code is, and 5 if events are lost.\n"
      "Example:\n"
      "  stowage record -o logs -- awk 'BEGIN { print 1 }'");
  verb->callback([action, args, verb] {
    *action = [args, verb] {
      absl::StatusOr<std::vector<std::string>> command =
          ProgramArguments(*verb);
      if (!command.ok()) return Misuse("record", command.status().message());
      args->command = *std::move(command);
      return RunRecord(*args);
    };
  });
}

}  // namespace stowage::cli
