// SPDX-License-Identifier: Apache-2.0
#include "src/testing/program_planner.h"

#include <fcntl.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): of POSIX
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/memory/memory.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/io/file_descriptor.h"
#include "src/testing/child_process.h"
#include "src/testing/command_words.h"
#include "src/testing/plan_file.h"
#include "src/testing/private_folder.h"
#include "src/testing/server_process.h"
#include "src/testing/signal_blocked.h"
#include "stowage/assignment.h"
#include "stowage/base/text.h"
#include "stowage/constraints.h"
#include "stowage/io/problem_file.h"
#include "stowage/problem.h"
#include "stowage/tensor_size.h"
#include "stowage/testing/specs.h"

namespace stowage::program {
namespace {

// The names of the files in messages. Messages do not contain paths, because
// paths differ from run to run.
constexpr absl::string_view kIn = "{in}";
constexpr absl::string_view kOut = "{out}";

// The columns of a plan file that contain the places of records.
constexpr absl::string_view kOffset = "offset";
constexpr absl::string_view kObject = "object";

// Returns the error for a file that cannot be read or written because of the
// system, as opposed to the program under test.
absl::Status Unavailable(const std::string& path, int error,
                         absl::string_view message) {
  return absl::UnavailableError(ErrnoStatus(error, path, message).message());
}

// Returns ": " followed by the last line that is not blank, or an empty string
// if all lines are blank.
std::string LastLine(absl::string_view printed) {
  const absl::string_view text = absl::StripTrailingAsciiWhitespace(printed);
  if (text.empty()) return "";
  const size_t end = text.rfind('\n');
  return absl::StrCat(
      ": ", end == absl::string_view::npos ? text : text.substr(end + 1));
}

// Writes a file for one run. WriteFile is not used, because it waits until the
// file is on the disk.
absl::Status WriteTemporaryFile(const std::string& path,
                                absl::string_view content) {
  const SignalBlocked blocked(SIGXFSZ);
  FileDescriptor file(open(path.c_str(),
                           O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
                           S_IRUSR | S_IWUSR));
  if (!file.ok()) return Unavailable(path, errno, "cannot write it");
  while (!content.empty()) {
    const ssize_t count = write(file.get(), content.data(), content.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return Unavailable(path, errno, "cannot write it");
    content.remove_prefix(static_cast<size_t>(count));
  }
  return absl::OkStatus();
}

// Returns n if `code` is 128 + n, with which a shell reports that its command
// was terminated by signal n. Returns 0 for other codes.
int SignalOfShell(int code) {
  constexpr int kMaxSignal = 64;
  return code > 128 && code <= 128 + kMaxSignal ? code - 128 : 0;
}

// Returns whether this is an exit code of a shell that cannot run or find a
// command.
bool IsCodeOfNoCommand(int code) { return code == 126 || code == 127; }

absl::Status NoPlan(absl::string_view why) {
  return absl::DataLossError(absl::StrCat("the program gave no plan: ", why));
}

// Returns whether a file could not be read for a reason that the program has
// not caused.
bool IsSystemError(int error) {
  return error == EMFILE || error == ENFILE || error == ENOMEM || error == EIO;
}

// Returns the contents of `path`, which the program has created and which may
// be any kind of file. The file is not mapped, because a process that has left
// the process group of the program may still be writing to it. Errors: DataLoss
// if there is no such file, if it is not a regular file, or if it is larger
// than kMaxPlanBytes; Unavailable if the system cannot read it.
absl::StatusOr<std::string> ReadOutput(const std::string& path) {
  // Without O_NONBLOCK, opening a named pipe would block until it has a writer.
  const FileDescriptor file(open(
      path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW | O_NONBLOCK));
  if (!file.ok() && errno == ENOENT) return NoPlan("it wrote no {out}");
  if (!file.ok() && IsSystemError(errno)) {
    return Unavailable(path, errno, "cannot read it");
  }
  struct stat info = {};
  if (file.ok() && fstat(file.get(), &info) != 0) {
    return Unavailable(path, errno, "cannot read it");
  }
  if (!file.ok() || !S_ISREG(info.st_mode)) {
    return NoPlan("{out} is not a regular file that can be read");
  }
  constexpr size_t kChunk = 65536;
  std::string csv;
  while (csv.size() <= ProgramPlanner::kMaxPlanBytes) {
    const size_t size = csv.size();
    csv.resize(size + kChunk);
    const ssize_t got = read(file.get(), csv.data() + size, kChunk);
    csv.resize(size + static_cast<size_t>(std::max<ssize_t>(got, 0)));
    if (got == 0) return csv;
    if (got < 0 && errno != EINTR) {
      return Unavailable(path, errno, "cannot read it");
    }
  }
  return NoPlan(absl::StrCat("{out} has more than ",
                             ProgramPlanner::kMaxPlanBytes, " bytes"));
}

struct PlanColumns {
  PlanColumn places;
  PlanColumn pools;  // is empty without pools
};

// Parses a problem file with its plan, in the format of `stowage plan`.
absl::StatusOr<PlanColumns> ParseJsonPlan(
    absl::string_view json, const std::vector<std::string>& pool_names) {
  const absl::StatusOr<ProblemFile> file = ParseProblemJson(json, kOut);
  if (!file.ok()) return file.status();
  PlanColumns plan;
  for (size_t i = 0; i < file->plan.offsets.size(); ++i) {
    plan.places[file->problem.names[i]] = file->plan.offsets[i];
  }
  for (size_t i = 0; i < file->plan.chosen_pools.size(); ++i) {
    const std::string& name =
        file->problem.constraints.pools[file->plan.chosen_pools[i]].name;
    const auto found = std::find(pool_names.begin(), pool_names.end(), name);
    if (found == pool_names.end()) continue;  // the record has no pool
    plan.pools[file->problem.names[i]] =
        static_cast<size_t>(found - pool_names.begin());
  }
  return plan;
}

// Parses a plan file that has the places in `column`. For a problem with
// constraints, the file may also be a problem file.
absl::StatusOr<PlanColumns> ParsePlan(absl::string_view text,
                                      absl::string_view column,
                                      const ProblemSpec& spec) {
  std::vector<std::string> names;
  for (const MemoryPool& pool : spec.constraints.pools) {
    names.push_back(pool.name);
  }
  if (testing::HasConstraints(spec) && absl::StartsWith(text, "{")) {
    return ParseJsonPlan(text, names);
  }
  absl::StatusOr<PlanColumn> places = ParsePlanColumn(text, kOut, column);
  if (!places.ok()) return places.status();
  if (names.empty()) return PlanColumns{*std::move(places), {}};
  absl::StatusOr<PlanColumn> chosen =
      ParseNamesColumn(text, kOut, "chosen_pool", names);
  if (!chosen.ok()) return chosen.status();
  return PlanColumns{*std::move(places), *std::move(chosen)};
}

}  // namespace

ProgramPlanner::ProgramPlanner(std::vector<std::string> words,
                               ChildLimits limits, Form form)
    : words_(std::move(words)), limits_(std::move(limits)) {
  limits_.slot = &slot_;
  if (form == Form::kServer) {
    server_ = std::make_unique<ServerProcess>(words_, limits_);
  }
}

absl::StatusOr<std::unique_ptr<ProgramPlanner>> ProgramPlanner::Create(
    std::vector<std::string> words, const ChildLimits& limits, Form form) {
  for (const absl::string_view place : {kIn, kOut}) {
    const auto has_place = [&](const std::string& word) {
      return absl::StrContains(word, place);
    };
    const bool is_there = std::any_of(words.begin(), words.end(), has_place);
    if (is_there && form == Form::kServer) {
      return absl::InvalidArgumentError(
          absl::StrCat("the command has ", place,
                       "; expected none, since a server reads the names of its "
                       "files from standard input"));
    }
    if (!is_there && form == Form::kOneRun) {
      return absl::InvalidArgumentError(
          absl::StrCat("the command has no ", place,
                       "; expected {in} for the trace and {out} for the plan"));
    }
  }
  return absl::WrapUnique(new ProgramPlanner(std::move(words), limits, form));
}

void ProgramPlanner::Abort() {
  slot_.Close();
  folder_.Close();
}

void ProgramPlanner::SetFault(Fault::Kind kind, const ProblemSpec& spec,
                              const absl::Status& status) {
  if (!fault_) fault_ = Fault{kind, spec, status};
}

absl::StatusOr<ChildResult> ProgramPlanner::Ask(const std::string& in,
                                                const std::string& out) {
  if (!server_) return RunChild(FillIn(words_, in, out), limits_);
  const std::string request = absl::StrCat(in, "\t", out);
  if (absl::StrContains(in, '\t') || absl::StrContains(request, '\n')) {
    return absl::FailedPreconditionError(
        absl::StrCat("the folder for temporary files is ", Quoted(in),
                     "; expected TMPDIR without tabs and line breaks, since "
                     "those end the names that a server reads"));
  }
  return server_->Ask(request);
}

// Returns the error that can be determined from how a run ended and what it
// printed. Returns OK if only the plan file can show whether the run failed.
absl::Status ProgramPlanner::StatusOf(const ChildResult& result) const {
  using End = ChildResult::End;
  const bool has_code = result.end == (server_ ? End::kAnswer : End::kExit);
  if (has_code && result.code == 0) return absl::OkStatus();
  // If the output was truncated, its last line is meaningless.
  const bool is_cut = result.end == End::kOutputLimit;
  const int signal = has_code ? SignalOfShell(result.code) : 0;
  const std::string how = absl::StrCat(
      "the program ", Describe(result, limits_),
      signal == 0 ? "" : absl::StrCat(", as for ", SignalName(signal)),
      is_cut ? "" : LastLine(result.printed));
  if (result.end == End::kStopped) return absl::CancelledError(how);
  const bool is_exit = result.end == End::kExit || has_code;
  if (is_exit && IsCodeOfNoCommand(result.code)) {
    return absl::NotFoundError(absl::StrCat("command not found: ", how));
  }
  if (has_code && result.code == kUnsupported) {
    return absl::UnimplementedError(how);
  }
  if (has_code && signal == 0) return absl::FailedPreconditionError(how);
  return absl::AbortedError(how);
}

absl::Status ProgramPlanner::RunProgram(const std::string& in,
                                        const std::string& out) {
  const absl::StatusOr<ChildResult> result = Ask(in, out);
  if (!result.ok()) {
    error_.Update(result.status());
    return result.status();
  }
  using Phase = ChildResult::Phase;
  absl::Status status = StatusOf(*result);
  // If a server has been ready before and does not start again, this is a fault
  // of the program. If it has never been ready, the program cannot be run.
  const bool is_no_server = result->phase == Phase::kStart &&
                            !server_->has_been_ready() &&
                            !absl::IsCancelled(status);
  if (is_no_server) {
    error_.Update(absl::IsNotFound(status)
                      ? status
                      : absl::FailedPreconditionError(absl::StrCat(
                            "no server is started: ", status.message(),
                            "; expected it to print the line \"ready\"")));
    return status;
  }
  ++run_count_;
  if (absl::IsAborted(status) || absl::IsNotFound(status)) {
    SetFault(Fault::Kind::kEnd,
             result->phase == Phase::kIdle ? previous_spec_ : last_spec_,
             status);
  }
  return status;
}

absl::Status ProgramPlanner::NoteUnreadable(absl::Status status) {
  if (absl::IsUnavailable(status)) {
    error_.Update(status);
  } else {
    SetFault(Fault::Kind::kOutput, last_spec_, status);
  }
  return status;
}

// Runs the program with `content` in the file {in}, and returns the contents of
// {out} that the program has written.
absl::StatusOr<std::string> ProgramPlanner::PlanFileOf(
    absl::string_view name, absl::string_view content) {
  if (limits_.is_cancelled && limits_.is_cancelled()) {
    return absl::CancelledError("the program was not started");
  }
  const absl::StatusOr<std::string> folder = folder_.Renew();
  const std::string in = folder.ok() ? absl::StrCat(*folder, "/", name) : "";
  const std::string out = folder.ok() ? *folder + "/plan.csv" : "";
  absl::Status status =
      folder.ok() ? WriteTemporaryFile(in, content) : folder.status();
  if (!status.ok()) {
    error_.Update(status);
    return status;
  }
  status = RunProgram(in, out);
  if (!status.ok()) return status;
  absl::StatusOr<std::string> csv = ReadOutput(out);
  if (!csv.ok()) return NoteUnreadable(csv.status());
  return csv;
}

// Runs the program and returns the trace with its plan. `column` is the column
// of the plan file that contains the places.
absl::StatusOr<ProblemFile> ProgramPlanner::PlanFor(const ProblemSpec& spec,
                                                    absl::string_view column) {
  previous_spec_ = std::exchange(last_spec_, testing::Simplified(spec));
  ProblemFile file = testing::ToFile(last_spec_);
  const bool is_problem = testing::HasConstraints(spec);
  const absl::StatusOr<std::string> in =
      is_problem ? FormatProblemJson(file) : FormatProblemCsv(file);
  if (!in.ok()) return absl::UnimplementedError(in.status().message());
  const absl::StatusOr<std::string> out =
      PlanFileOf(is_problem ? "problem.json" : "trace.csv", *in);
  if (!out.ok()) return out.status();
  const absl::StatusOr<PlanColumns> plan = ParsePlan(*out, column, spec);
  if (!plan.ok()) return NoteUnreadable(NoPlan(plan.status().message()));
  auto ordered = InOrderOfIds(plan->places, kOut, file.problem.names);
  if (!ordered.ok()) return NoPlan(ordered.status().message());
  (column == kObject ? file.plan.objects : file.plan.offsets) =
      *std::move(ordered);
  if (!file.problem.constraints.pools.empty()) {
    ordered = InOrderOfIds(plan->pools, kOut, file.problem.names);
    if (!ordered.ok()) return NoPlan(ordered.status().message());
    file.plan.chosen_pools.assign(ordered->begin(), ordered->end());
  }
  return file;
}

absl::StatusOr<OffsetsAssignment> ProgramPlanner::PlanOffsets(
    const ProblemSpec& spec) {
  const absl::StatusOr<ProblemFile> file = PlanFor(spec, kOffset);
  if (!file.ok()) return file.status();
  absl::StatusOr<OffsetsAssignment> plan = OffsetsOf(file->problem, file->plan);
  if (!plan.ok()) {
    return NoPlan(absl::StrCat(kOut, ": ", plan.status().message()));
  }
  ++plan_count_;
  return plan;
}

absl::StatusOr<ObjectsAssignment<size_t>> ProgramPlanner::PlanObjects(
    const ProblemSpec& spec) {
  const absl::StatusOr<ProblemFile> file = PlanFor(spec, kObject);
  if (!file.ok()) return file.status();
  absl::StatusOr<ObjectsAssignment<size_t>> plan =
      ObjectsOf(file->problem, file->plan);
  // If the sizes of the objects add up to more than 2^64 - 1, the file is
  // treated as having no plan, because no memory is that large.
  const absl::Status status =
      plan.ok() ? TotalSize(*plan).status() : plan.status();
  if (!status.ok()) return NoPlan(absl::StrCat(kOut, ": ", status.message()));
  ++plan_count_;
  return plan;
}

}  // namespace stowage::program
