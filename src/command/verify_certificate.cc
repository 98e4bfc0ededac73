// SPDX-License-Identifier: Apache-2.0
#include "src/command/verify_certificate.h"

#include <cstddef>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/command/inputs.h"
#include "src/command/json.h"
#include "src/command/options.h"
#include "src/command/screen.h"
#include "src/command/text.h"
#include "src/command/verb.h"
#include "src/io/input_file.h"
#include "stowage/certificate.h"
#include "stowage/io/problem_file.h"
#include "stowage/problem.h"

namespace stowage::cli {
namespace {

std::string TextOf(const CertificateVerdict& verdict) {
  std::string text;
  for (const std::string& fact : verdict.checked) {
    absl::StrAppend(&text, "checked: ", OneLine(fact), "\n");
  }
  for (const std::string& fact : verdict.proved) {
    absl::StrAppend(&text, "proved: ", OneLine(fact), "\n");
  }
  for (const std::string& fact : verdict.not_checked) {
    absl::StrAppend(&text, "not checked: ", OneLine(fact), "\n");
  }
  if (!verdict.refuted.empty()) {
    absl::StrAppend(&text, "refuted: ", OneLine(verdict.refuted), "\n");
  }
  return text;
}

std::string JsonOf(const std::string& trace_path, const std::string& path,
                   const CertificateVerdict& verdict) {
  return Dump(
      {{"trace", trace_path},
       {"certificate", path},
       {"checked", verdict.checked},
       {"proved", verdict.proved},
       {"not_checked", verdict.not_checked},
       {"refuted", verdict.refuted.empty() ? Json() : Json(verdict.refuted)}});
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
          format == Format::kJson ? JsonOf(trace_path, path, *verdict)
                                  : FitScreen(TextOf(*verdict)),
          ""};
}

}  // namespace stowage::cli
