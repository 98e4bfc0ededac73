// SPDX-License-Identifier: Apache-2.0
// Writes and checks certificates of plans for all values of the parameters. A
// certificate is a text with which other programs can check such a plan. It
// contains the order of the records, the rule that proves that the reserved
// bytes suffice for every value, and a proof of the number of bytes that every
// plan needs at one value. For problems with fixed sizes, use certificate.h. To
// check a plan without a proof of its bound, use verify_dynamic.h.
//
//   std::string text = FormatDynamicCertificate(*problem, *plan).value();
//   ...
//   auto verdict = CheckDynamicCertificate(*problem, text);
//   if (!verdict.ok() || !verdict->refuted.empty()) return "do not trust it";
//
// The text (docs/certificates.md) is one line of JSON, followed by a
// certificate for fixed sizes (certificate.h), namely the sizes at the value
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
// their names, or by their index if they have no names. If only a search proved
// the lower bound, this function repeats the search and appends its log to the
// certificate. Errors: those of FormatCertificate. O(n), plus the time of the
// search.
StatusOr<std::string> FormatDynamicCertificate(const DynamicProblem& problem,
                                               const DynamicPlan& plan);

// Checks a certificate against the problem, without using any strategy. Ignores
// the capacity of the problem. Errors: InvalidArgument, naming the key, if
// `text` is not a certificate or is for other records; those of
// CheckCertificate (certificate.h). O(n log n + conflicts), plus the time to
// try the values that the rule requires, and to check the certificate of one
// value.
StatusOr<CertificateVerdict> CheckDynamicCertificate(
    const DynamicProblem& problem, string_view text);

// Checks a certificate that is read piece by piece. Errors: those of the
// function above, and those of `read`.
StatusOr<CertificateVerdict> CheckDynamicCertificate(
    const DynamicProblem& problem, const ReadText& read);

}  // namespace stowage

#endif  // STOWAGE_DYNAMIC_DYNAMIC_CERTIFICATE_H_
