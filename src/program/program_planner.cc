#include "src/program/program_planner.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <ios>
#include <memory>
#include <string>
#include <system_error>
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
#include "src/trace/input_file.h"
#include "src/trace/match_rows.h"
#include "stowage/assignment.h"
#include "stowage/profile.h"
#include "stowage/tensor_size.h"
#include "stowage/trace.h"

namespace stowage::program {
namespace {

namespace fs = std::filesystem;

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

absl::Status NoPlan(absl::string_view why) {
  return absl::DataLossError(absl::StrCat("the program gave no plan: ", why));
}

// What the program has left at `path`, which may be anything.
absl::StatusOr<Trace> ReadPlan(const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(path, error);
  if (!fs::exists(status)) return NoPlan("it wrote no {out}");
  // Opening anything else might take for ever.
  if (!fs::is_regular_file(status)) return NoPlan("{out} is no regular file");
  if (fs::file_size(path, error) > ProgramPlanner::kMaxPlanBytes || error) {
    return NoPlan(absl::StrCat("{out} has more than ",
                               ProgramPlanner::kMaxPlanBytes, " bytes"));
  }
  const auto file = InputFile::Open(path);
  const absl::StatusOr<absl::string_view> csv =
      file.ok() ? (*file)->Contents() : file.status();
  if (!csv.ok()) return NoPlan(csv.status().message());
  TraceOptions options;
  options.ignore_unknown_columns = true;
  absl::StatusOr<Trace> plan = ParseTraceCsv(*csv, kOut, options);
  if (!plan.ok()) return NoPlan(plan.status().message());
  return plan;
}

}  // namespace

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

absl::Status ProgramPlanner::Run(const Trace& trace, const std::string& in,
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
  const std::string how =
      absl::StrCat("the program ", Describe(*result, limits_),
                   is_cut ? "" : LastLine(result->printed));
  switch (result->end) {
    case ChildResult::End::kExit:
      return absl::FailedPreconditionError(how);
    case ChildResult::End::kStopped:
      return absl::CancelledError(how);
    default:
      if (!misdeed_) {
        misdeed_.emplace();
        misdeed_->asked.records = trace.records;
        misdeed_->asked.alignments = trace.alignments;
        misdeed_->status = absl::AbortedError(how);
      }
      return absl::AbortedError(how);
  }
}

absl::StatusOr<ProgramPlanner::Answer> ProgramPlanner::Ask(const Trace& trace) {
  const absl::StatusOr<std::string> csv = FormatTraceCsv(trace);
  if (!csv.ok()) return absl::UnimplementedError(csv.status().message());
  // What the program has left there may be anything.
  std::error_code failed;
  const std::string inside = absl::StrCat(folder_.path(), "/call");
  fs::remove_all(inside, failed);
  if (!failed) fs::create_directory(inside, failed);
  const std::string in = inside + "/trace.csv";
  const std::string out = inside + "/plan.csv";
  absl::Status status =
      failed ? absl::UnavailableError(absl::StrCat(
                   inside, ": cannot empty it: ", failed.message()))
             : WriteForNow(in, *csv);
  if (!status.ok()) {
    error_.Update(status);
    return status;
  }
  status = Run(trace, in, out);
  if (!status.ok()) return status;
  absl::StatusOr<Trace> plan = ReadPlan(out);
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
