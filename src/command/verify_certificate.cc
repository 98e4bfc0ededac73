// SPDX-License-Identifier: Apache-2.0
#include "src/command/verify_certificate.h"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/command/answer.h"
#include "src/command/inputs.h"
#include "src/command/json.h"
#include "src/command/options.h"
#include "src/command/verb.h"
#include "src/io/input_file.h"
#include "stowage/certificate.h"
#include "stowage/io/problem_file.h"
#include "stowage/problem.h"

namespace stowage::cli {
namespace {

// Returns a line for each fact.
Answer AnswerOf(const std::string& trace_path, const std::string& path,
                const CertificateVerdict& verdict) {
  Answer answer;
  answer.AddData("trace", trace_path);
  answer.AddData("certificate", path);
  const auto add = [&](const char* key, const char* label,
                       const std::vector<std::string>& facts) {
    answer.AddData(key, facts);
    for (const std::string& fact : facts) answer.SayLine(Phrase(label, fact));
  };
  add("checked", "checked: ", verdict.checked);
  add("proved", "proved: ", verdict.proved);
  add("not_checked", "not checked: ", verdict.not_checked);
  const std::string& refuted = verdict.refuted;
  answer.AddData("refuted", refuted.empty() ? Json() : Json(refuted));
  if (!refuted.empty()) answer.SayLine(Phrase("refuted: ", refuted));
  return answer;
}

}  // namespace

Outcome VerifyCertificate(const std::string& trace_path,
                          const std::string& path,
                          absl::optional<size_t> alignment, Format format,
                          const InputOptions& options) {
  InputReader inputs(options);
  const absl::StatusOr<ProblemFile> asked = inputs.Read(trace_path);
  if (absl::Status s = inputs.CheckOptions(); !s.ok()) {
    return Misuse("verify", s.message());
  }
  if (!asked.ok()) {
    return Failure(ExitCode::kBadInput, asked.status().message());
  }
  if (!asked->problem.constraints.empty()) {
    return Misuse("verify", kNoCertificates);
  }
  // The file is read piece by piece: the log of a search may have any length,
  // and a mapped file would end the program if another process cut it short.
  const absl::StatusOr<std::unique_ptr<InputFile>> file = InputFile::Open(path);
  if (!file.ok()) return Failure(ExitCode::kBadInput, file.status().message());
  absl::Status read;
  const absl::StatusOr<CertificateVerdict> verdict =
      CheckCertificate(SpecFor(asked->problem, PlanKind::kOffsets, alignment),
                       [&](absl::Span<char> buffer) {
                         absl::StatusOr<size_t> count = (*file)->Read(buffer);
                         read.Update(count.status());
                         return count;
                       });
  // The message already names the file.
  if (!read.ok()) return Failure(ExitCode::kBadInput, read.message());
  if (!verdict.ok()) {
    return Failure(ExitCode::kBadInput,
                   DescribeError(path, asked->problem, verdict.status()));
  }
  return {verdict->refuted.empty() ? ExitCode::kDone : ExitCode::kRefuted,
          AnswerOf(trace_path, path, *verdict).Render(format), ""};
}

}  // namespace stowage::cli
