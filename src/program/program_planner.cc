#include "src/program/program_planner.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <fstream>
#include <ios>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/program/child_process.h"
#include "src/program/command_words.h"
#include "src/program/private_folder.h"
#include "src/trace/file_descriptor.h"
#include "src/trace/match_rows.h"
#include "stowage/assignment.h"
#include "stowage/profile.h"
#include "stowage/tensor_size.h"
#include "stowage/trace.h"

namespace stowage::program {
namespace {

// What messages call the files, whose paths are different every time.
constexpr absl::string_view kIn = "{in}";
constexpr absl::string_view kOut = "{out}";

Trace TraceOf(absl::Span<const ByteRecord> records,
              const Alignments& alignments) {
  Trace trace;
  trace.records.assign(records.begin(), records.end());
  bool is_aligned = false;
  for (size_t i = 0; i < records.size(); ++i) {
    trace.ids.push_back(absl::StrCat("t", i));
    trace.alignments.push_back(alignments.Of(i));
    is_aligned = is_aligned || alignments.Of(i) != 1;
  }
  if (!is_aligned) trace.alignments.clear();
  return trace;
}

// ": " and the last line that is not blank, or nothing.
std::string LastLine(absl::string_view printed) {
  const absl::string_view text = absl::StripTrailingAsciiWhitespace(printed);
  if (text.empty()) return "";
  const size_t end = text.rfind('\n');
  return absl::StrCat(
      ": ", end == absl::string_view::npos ? text : text.substr(end + 1));
}

// Nobody misses the file if the machine goes down, so it need not reach a disk.
absl::Status WriteForNow(const std::string& path, absl::string_view content) {
  std::ofstream file(path, std::ios::binary);
  file << content;
  file.close();
  if (file) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat(path, ": cannot write it"));
}

// A shell exits with 128 + n when what it has run was ended by signal n. 0 for
// other codes.
int SignalOfShell(int code) {
  constexpr int kMostSignals = 64;
  return code > 128 && code <= 128 + kMostSignals ? code - 128 : 0;
}

absl::Status NoPlan(absl::string_view why) {
  return absl::DataLossError(absl::StrCat("the program gave no plan: ", why));
}

// What keeps a file from being read whoever has written it.
bool IsOfTheSystem(int error) {
  return error == EMFILE || error == ENFILE || error == ENOMEM || error == EIO;
}

absl::Status Unread(const std::string& path, int error) {
  return absl::UnavailableError(
      ErrnoStatus(error, path, "cannot read it").message());
}

// What the program has left at `path`, which may be anything. It is not mapped:
// who has left its group may still be at it. Error: DataLoss if that is no
// plan, Unavailable if it cannot be known.
absl::StatusOr<std::string> ReadOut(const std::string& path) {
  // Opening a pipe might take for ever.
  const FileDescriptor file(open(
      path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW | O_NONBLOCK));
  if (!file.ok() && errno == ENOENT) return NoPlan("it wrote no {out}");
  if (!file.ok() && IsOfTheSystem(errno)) return Unread(path, errno);
  struct stat info = {};
  if (file.ok() && fstat(file.get(), &info) != 0) return Unread(path, errno);
  if (!file.ok() || !S_ISREG(info.st_mode)) {
    return NoPlan("{out} is no regular file that can be read");
  }
  constexpr size_t kChunk = 65536;
  std::string csv;
  while (csv.size() <= ProgramPlanner::kMaxPlanBytes) {
    const size_t size = csv.size();
    csv.resize(size + kChunk);
    const ssize_t got = read(file.get(), csv.data() + size, kChunk);
    csv.resize(size + static_cast<size_t>(std::max<ssize_t>(got, 0)));
    if (got == 0) return csv;
    if (got < 0 && errno != EINTR) return Unread(path, errno);
  }
  return NoPlan(absl::StrCat("{out} has more than ",
                             ProgramPlanner::kMaxPlanBytes, " bytes"));
}

absl::StatusOr<Trace> ReadPlan(const std::string& path) {
  const absl::StatusOr<std::string> csv = ReadOut(path);
  if (!csv.ok()) return csv.status();
  TraceOptions options;
  options.ignore_unknown_columns = true;
  absl::StatusOr<Trace> plan = ParseTraceCsv(*csv, kOut, options);
  if (!plan.ok()) return NoPlan(plan.status().message());
  return plan;
}

}  // namespace

ProgramPlanner::ProgramPlanner(std::vector<std::string> words,
                               const ChildLimits& limits, PrivateFolder folder)
    : words_(std::move(words)),
      slot_(std::make_unique<ChildSlot>()),
      limits_(limits),
      folder_(std::move(folder)) {
  limits_.slot = slot_.get();
}

absl::StatusOr<ProgramPlanner> ProgramPlanner::Create(
    std::vector<std::string> words, const ChildLimits& limits) {
  for (const absl::string_view place : {kIn, kOut}) {
    const auto has_place = [&](const std::string& word) {
      return absl::StrContains(word, place);
    };
    if (std::none_of(words.begin(), words.end(), has_place)) {
      return absl::InvalidArgumentError(
          absl::StrCat("the command has no ", place,
                       ": expected {in} for the trace and {out} for the plan"));
    }
  }
  absl::StatusOr<PrivateFolder> folder = PrivateFolder::Create();
  if (!folder.ok()) return folder.status();
  return ProgramPlanner(std::move(words), limits, *std::move(folder));
}

void ProgramPlanner::Abandon() {
  slot_->Close();
  folder_.Remove();
}

absl::Status ProgramPlanner::Run(const std::string& in,
                                 const std::string& out) {
  const absl::StatusOr<ChildResult> result =
      RunChild(FillIn(words_, in, out), limits_);
  if (!result.ok()) {
    error_.Update(result.status());
    return result.status();
  }
  ++runs_;
  if (result->end == ChildResult::End::kExit && result->code == 0) {
    return absl::OkStatus();
  }
  // Where a flood was cut off says nothing.
  const bool is_cut = result->end == ChildResult::End::kTooTalkative;
  const bool has_exited = result->end == ChildResult::End::kExit;
  const int signal = has_exited ? SignalOfShell(result->code) : 0;
  const std::string how = absl::StrCat(
      "the program ", Describe(*result, limits_),
      signal == 0 ? "" : absl::StrCat(", as for ", SignalName(signal)),
      is_cut ? "" : LastLine(result->printed));
  if (result->end == ChildResult::End::kStopped) {
    return absl::CancelledError(how);
  }
  if (has_exited && result->code == kUnsupported) {
    return absl::UnimplementedError(how);
  }
  if (has_exited && signal == 0) return absl::FailedPreconditionError(how);
  absl::Status status = absl::AbortedError(how);
  if (!misdeed_) misdeed_ = Misdeed{asked_, status};
  return status;
}

absl::StatusOr<ProgramPlanner::Answer> ProgramPlanner::Ask(const Trace& trace) {
  asked_.records = trace.records;
  asked_.alignments = trace.alignments;
  const absl::StatusOr<std::string> csv = FormatTraceCsv(trace);
  if (!csv.ok()) return absl::UnimplementedError(csv.status().message());
  if (limits_.stop != nullptr && *limits_.stop) {
    return absl::CancelledError("the program was not started");
  }
  const absl::StatusOr<std::string> inside = folder_.Renew();
  const std::string in = inside.ok() ? *inside + "/trace.csv" : "";
  const std::string out = inside.ok() ? *inside + "/plan.csv" : "";
  absl::Status status = inside.ok() ? WriteForNow(in, *csv) : inside.status();
  if (!status.ok()) {
    error_.Update(status);
    return status;
  }
  status = Run(in, out);
  if (!status.ok()) return status;
  absl::StatusOr<Trace> plan = ReadPlan(out);
  if (absl::IsUnavailable(plan.status())) error_.Update(plan.status());
  if (!plan.ok()) return plan.status();
  absl::StatusOr<std::vector<size_t>> rows = MatchRows(trace, kIn, *plan, kOut);
  if (!rows.ok()) return NoPlan(rows.status().message());
  return Answer{*std::move(plan), *std::move(rows)};
}

absl::StatusOr<OffsetsAssignment> ProgramPlanner::PlanOffsets(
    absl::Span<const ByteRecord> records, const Alignments& alignments) {
  const absl::StatusOr<Answer> answer = Ask(TraceOf(records, alignments));
  if (!answer.ok()) return answer.status();
  absl::StatusOr<OffsetsAssignment> plan = OffsetsOf(answer->plan);
  if (!plan.ok()) {
    return NoPlan(absl::StrCat(kOut, ": ", plan.status().message()));
  }
  ++plans_;
  plan->offsets = InTraceOrder(plan->offsets, answer->rows);
  return plan;
}

absl::StatusOr<ObjectsAssignment<size_t>> ProgramPlanner::PlanObjects(
    absl::Span<const ByteRecord> records) {
  const absl::StatusOr<Answer> answer = Ask(TraceOf(records, 1));
  if (!answer.ok()) return answer.status();
  absl::StatusOr<ObjectsAssignment<size_t>> plan = ObjectsOf(answer->plan);
  // As an offset beyond 2^64: memory that nobody has.
  const absl::Status status =
      plan.ok() ? TotalSize(*plan).status() : plan.status();
  if (!status.ok()) return NoPlan(absl::StrCat(kOut, ": ", status.message()));
  ++plans_;
  plan->object_ids = InTraceOrder(plan->object_ids, answer->rows);
  return plan;
}

}  // namespace stowage::program
