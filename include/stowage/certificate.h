// SPDX-License-Identifier: Apache-2.0
// Certificates: the proof of a solution as text that others can check.
//
// Write one beside a plan that others have to trust. To check a plan alone use
// verify.h.
//
//   std::string text = FormatCertificate(problem, solution, "optimal").value();
//   ...
//   absl::StatusOr<CertificateVerdict> verdict = CheckCertificate(spec, text);
//   if (!verdict.ok() || !verdict->refuted.empty()) return "do not trust it";
//
// A certificate is a JSON document (docs/certificates.md) with the claim, the
// plan or the conflict, and what proves the bound; behind it, for a bound that
// a search proved, the log of that search. All of it is checked without any
// strategy. What cannot be checked is listed as such.
#ifndef STOWAGE_CERTIFICATE_H_
#define STOWAGE_CERTIFICATE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "stowage/problem.h"
#include "stowage/solution.h"

namespace stowage {

// Passes the certificate of a solution of `problem` to `write`, piece by piece:
// one line of JSON, and the log of a search (SearchProof) if there is one,
// which takes as long to write as the search did. Records are called by the
// problem's names, or by their index where it has none. `strategy` and `seed`
// are those of the search, for repeating it. Errors: FailedPrecondition for
// kTimeLimit, which proves nothing; Unimplemented for sizes that are not bytes;
// the first of `write`. O(n) without a log, and O(c^2) for a conflict of c
// records with its rests (Solution::conflict_rests), of which those of more
// than 1000 are left out.
absl::Status WriteCertificate(const Problem& problem, const Solution& solution,
                              absl::string_view strategy, uint64_t seed,
                              const SearchProof::Write& write);

// The same as a string. Logs may be too large for one.
absl::StatusOr<std::string> FormatCertificate(const Problem& problem,
                                              const Solution& solution,
                                              absl::string_view strategy,
                                              uint64_t seed = 1);

struct CertificateVerdict {
  std::vector<std::string> checked;      // found to be true of the plan
  std::vector<std::string> proved;       // found to be true of all plans
  std::vector<std::string> not_checked;  // needs a search
  std::string refuted;                   // what is false; empty if nothing
};

// Checks a certificate against the records, alignments, fixed offsets and names
// of `spec`; its kind and capacity are those that the certificate claims.
// Errors: InvalidArgument, naming the key, if `text` is not a certificate, a
// key has the wrong type or it is a certificate for other records; those of
// Problem::Create; Unimplemented for sizes that are not bytes. O(n log n),
// O(c^2 log c) for a conflict of c records, which is not checked for being
// irreducible above 1000, O(w s) for w weights on records of s sizes, which are
// not checked where that is above 2^30, and for each line of a log some O(n^2)
// of offsets, which are not checked above 4096 records, and O(w s) of shared
// objects, which are not where that is above 2^24.
absl::StatusOr<CertificateVerdict> CheckCertificate(ProblemSpec spec,
                                                    absl::string_view text);

// Reads on: fills the start of the buffer, and returns with how many bytes; 0
// at the end.
using ReadText = std::function<absl::StatusOr<size_t>(absl::Span<char> buffer)>;

// The same of a text that is read piece by piece. Nothing is kept of a log, so
// it may be of any length. Errors: those of `read`, besides.
absl::StatusOr<CertificateVerdict> CheckCertificate(ProblemSpec spec,
                                                    const ReadText& read);

}  // namespace stowage

#endif  // STOWAGE_CERTIFICATE_H_
