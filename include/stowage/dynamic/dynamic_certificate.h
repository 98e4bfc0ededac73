// SPDX-License-Identifier: Apache-2.0
// Writes and checks certificates of plans for all values of the parameters. A
// certificate is a text with which another program can check the plan. It
// contains the order of the records, the rule which proves that the reserved
// bytes suffice for every value, and a proof of the number of bytes that every
// plan needs at one value. For problems with fixed sizes, use certificate.h; to
// check a plan alone, use verify_dynamic.h.
//
//   std::string text = FormatDynamicCertificate(*problem, *plan).value();
//   ...
//   auto verdict = CheckDynamicCertificate(*problem, text);
//   if (!verdict.ok() || !verdict->refuted.empty()) return "do not trust it";
//
// The text (docs/certificates.md) is one line of JSON, followed by a
// certificate for fixed sizes (certificate.h). These are the sizes at the value
// with the largest proved lower bound.
#ifndef STOWAGE_DYNAMIC_DYNAMIC_CERTIFICATE_H_
#define STOWAGE_DYNAMIC_DYNAMIC_CERTIFICATE_H_

#include <string>

#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/certificate.h"
#include "stowage/dynamic/dynamic_problem.h"
#include "stowage/dynamic/plan_dynamic.h"

namespace stowage {

// Returns the certificate of a plan for `problem`. Records are identified by
// their names, or by their index if they have none. If the lower bound was
// proved only by a search, the search is repeated, and its log is appended to
// the certificate. Errors: those of FormatCertificate. O(n), plus the time of
// the search.
StatusOr<std::string> FormatDynamicCertificate(const DynamicProblem& problem,
                                               const DynamicPlan& plan);

// Checks a certificate against the problem, without any strategy. The capacity
// of the problem is ignored. Errors: InvalidArgument, naming the key, if `text`
// is not a certificate or is for other records; those of CheckCertificate
// (certificate.h). O(n log n + conflicts), plus the time for the values that
// the rule tries and for the certificate of one value.
StatusOr<CertificateVerdict> CheckDynamicCertificate(
    const DynamicProblem& problem, string_view text);

// Checks a certificate that is read piece by piece. Errors: those of the
// function above, and those of `read`.
StatusOr<CertificateVerdict> CheckDynamicCertificate(
    const DynamicProblem& problem, const ReadText& read);

}  // namespace stowage

#endif  // STOWAGE_DYNAMIC_DYNAMIC_CERTIFICATE_H_
