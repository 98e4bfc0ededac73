// Certificates: what proves an answer of `stowage plan`, in a file.
//
// A JSON document with the plan and the claim about it. What follows from the
// trace alone is checked independently of any planner: that the plan is safe,
// that it is as large as claimed, and that a bound is alive at one task. A
// bound that a search has proved is told with the search's parameters and node
// count, to be repeated, and reported as not checked.
#ifndef STOWAGE_SRC_CLI_CERTIFICATE_H_
#define STOWAGE_SRC_CLI_CERTIFICATE_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "src/cli/options.h"
#include "src/cli/verb.h"
#include "stowage/planner.h"
#include "stowage/problem.h"
#include "stowage/profile.h"
#include "stowage/solution.h"
#include "stowage/trace.h"

namespace stowage::cli {

// The certificate of a result for that trace and request.
std::string CertificateOf(const Trace& trace, const Problem& problem,
                          absl::string_view strategy,
                          const SolveOptions& options, const Solution& result);

struct CertificateVerdict {
  std::vector<std::string> checked;      // what was found to be true
  std::vector<std::string> not_checked;  // what only a search can tell
  std::string refuted;                   // what is wrong; empty if nothing
};

// Error: InvalidArgument if `text` is no certificate or one for other records
// or alignments.
absl::StatusOr<CertificateVerdict> CheckCertificate(
    const Trace& trace, const Alignments& alignments, absl::string_view text);

// Reads both files and tells the verdict: exit code 1 if something is refuted.
// The alignments are those of the trace unless one for all is given.
Outcome VerifyCertificate(const std::string& trace_path,
                          const std::string& path,
                          absl::optional<size_t> alignment, Format format,
                          const InputOptions& options);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_CLI_CERTIFICATE_H_
