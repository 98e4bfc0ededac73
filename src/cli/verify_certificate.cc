// stowage verify --certificate: what of an answer can be checked without it?
#include <cstddef>
#include <fstream>
#include <sstream>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "src/cli/certificate.h"
#include "src/cli/inputs.h"
#include "src/cli/json.h"
#include "src/cli/options.h"
#include "src/cli/text.h"
#include "src/cli/verb.h"
#include "stowage/profile.h"
#include "stowage/trace.h"

namespace stowage::cli {
namespace {

absl::StatusOr<std::string> ReadText(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": cannot be read, or is empty"));
  }
  return text.str();
}

std::string TextOf(const CertificateVerdict& verdict) {
  std::string text;
  for (const std::string& fact : verdict.checked) {
    absl::StrAppend(&text, "checked: ", OneLine(fact), "\n");
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
       {"not_checked", verdict.not_checked},
       {"refuted", verdict.refuted.empty() ? Json() : Json(verdict.refuted)}});
}

}  // namespace

Outcome VerifyCertificate(const std::string& trace_path,
                          const std::string& path,
                          absl::optional<size_t> alignment, Format format,
                          const InputOptions& options) {
  const absl::StatusOr<Trace> trace = ReadInput(trace_path, options);
  if (!trace.ok()) {
    return Failure(ExitCode::kBadInput, trace.status().message());
  }
  const absl::StatusOr<std::string> text = ReadText(path);
  if (!text.ok()) return Failure(ExitCode::kBadInput, text.status().message());
  const absl::StatusOr<CertificateVerdict> verdict = CheckCertificate(
      *trace, alignment ? Alignments(*alignment) : trace->alignment(), *text);
  if (!verdict.ok()) {
    return Failure(ExitCode::kBadInput,
                   absl::StrCat(path, ": ", verdict.status().message()));
  }
  return {verdict->refuted.empty() ? ExitCode::kDone : ExitCode::kRefuted,
          format == Format::kJson ? JsonOf(trace_path, path, *verdict)
                                  : TextOf(*verdict),
          ""};
}

}  // namespace stowage::cli
