// SPDX-License-Identifier: Apache-2.0
// Writes and checks certificates. A certificate is a text that proves a
// solution, and that other programs can check.
//
// Write a certificate if others have to trust your plan. To check a plan
// without a proof of its bound, use verify.h.
//
//   std::string text = FormatCertificate(problem, solution).value();
//   ...
//   StatusOr<CertificateVerdict> verdict = CheckCertificate(spec, text);
//   if (!verdict.ok() || !verdict->refuted.empty()) return "do not trust it";
//
// A certificate is a JSON document (docs/certificates.md) with the claim, the
// plan or the conflict, and the proof of the bound. If a search proved the
// bound, the log of this search follows the JSON. The checker uses no strategy,
// and lists all statements that it cannot check.
#ifndef STOWAGE_CERTIFICATE_H_
#define STOWAGE_CERTIFICATE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/problem.h"
#include "stowage/solution.h"
#include "stowage/strategy.h"

namespace stowage {

// Passes the certificate of a solution of `problem` to `write`, piece by piece.
// The certificate is one line of JSON. If the solution was proved by a search
// (SearchProof), the log of this search follows; writing the log takes as long
// as the search took. Records are identified by the problem's names or, if the
// problem has no names, by their index.
//
// Errors: FailedPrecondition if the status is kTimeLimit or kOverCapacity,
// because nothing is proved; Unimplemented for problems with a free order,
// optional groups or Constraints::same_or_apart; those of WriteSearchLog
// (planner.h), which include the first error of `write`. A solution that is
// kInfeasible under constraints is also Unimplemented, with one exception: a
// certificate is written if the records of the conflict have too little room in
// their pool even if all pairs that pay for sharing bytes share as many bytes
// as possible.
//
// Without a log, O(n log n) time, plus O(c^2) for a conflict of c records: its
// witnesses of irreducibility are also written (Solution::conflict_witnesses).
// The witnesses are left out if the conflict has more than 1000 records.
Status WriteCertificate(const Problem& problem, const Solution& solution,
                        const WriteText& write);

// Returns the certificate that WriteCertificate writes, as a string. If it
// contains a log, it may be too large for a string.
StatusOr<std::string> FormatCertificate(const Problem& problem,
                                        const Solution& solution);

// The result of a check, as statements for people. Trust a certificate only if
// `refuted` is empty.
struct CertificateVerdict {
  std::vector<std::string> checked;  // statements that are true of the plan
  std::vector<std::string> proved;   // statements that are true of all plans
  // Statements that were not checked, because only a search could check them,
  // or because the check would take too long.
  std::vector<std::string> not_checked;
  // A false statement, or empty if no statement is false.
  std::string refuted;
  // The claim of the certificate, with sizes in bytes. The total is 0 if there
  // is no plan.
  PlanKind kind = PlanKind::kOffsets;
  SolutionStatus status = SolutionStatus::kFeasible;
  size_t lower_bound = 0;
  size_t total_size = 0;
  optional<size_t> capacity;
};

// Checks a certificate against the records, alignments, fixed offsets, names
// and constraints of `spec`. Uses the kind and the capacity that the
// certificate claims, and ignores those of `spec`.
//
// Errors: InvalidArgument, naming the key, if `text` is not a certificate, if a
// key has the wrong type or if the certificate is for other records; those of
// Problem::Create; Unimplemented for problems with a free order, optional
// groups or Constraints::same_or_apart.
//
// Time for n records:
//   O(n log n)     everything that is not listed below
//   O(c^2 log c)   a conflict of c records; above 1000 records it is not
//                  checked that the conflict is irreducible
//   O(w s)         w weights on records of s sizes; the weights are not checked
//                  if w s is above 2^30
//   about O(n^2)   each line of a log of offsets; the log is not checked above
//                  4096 records
//   O(sum |Q|^2)   the cliques Q that prove a cost; they are not checked above
//                  2^28 pairs
//   O(w s)         each line of a log of shared objects; the log is not checked
//                  if w s is above 2^24
StatusOr<CertificateVerdict> CheckCertificate(ProblemSpec spec,
                                              string_view text);

// Reads the next piece of a text into the start of `buffer`. Returns the number
// of bytes, or 0 at the end of the text.
using ReadText = std::function<StatusOr<size_t>(Span<char> buffer)>;

// Checks a certificate that is read piece by piece. Does not keep any part of a
// log, so the log may have any length. Errors: those of the function above, and
// those of `read`.
StatusOr<CertificateVerdict> CheckCertificate(ProblemSpec spec,
                                              const ReadText& read);

}  // namespace stowage

#endif  // STOWAGE_CERTIFICATE_H_
