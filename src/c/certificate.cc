// SPDX-License-Identifier: Apache-2.0
// Writes and checks certificates.
#include "stowage/certificate.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "src/base/str_cat.h"
#include "src/c/border.h"
#include "src/c/handles.h"
#include "src/c/pass_on.h"
#include "stowage/assignment.h"
#include "stowage/base/optional.h"
#include "stowage/base/status.h"
#include "stowage/base/string_view.h"
#include "stowage/c/verify.h"
#include "stowage/problem.h"
#include "stowage/solution.h"

namespace stowage::c_api {
namespace {

Status Write(const Problem& problem, const Solution& solution,
             stowage_write_fn write, void* context) {
  return WriteCertificate(problem, solution, [&](string_view piece) {
    return PassOn(piece, write, context);
  });
}

// Passes each statement to `write` as a line that begins with `word`.
Status PassOnAll(string_view word, const std::vector<std::string>& statements,
                 stowage_write_fn write, void* context) {
  if (write == nullptr) return OkStatus();
  for (const std::string& statement : statements) {
    Status s = PassOn(StrCat(word, ": ", statement, "\n"), write, context);
    if (!s.ok()) return s;
  }
  return OkStatus();
}

// Returns InvalidArgument if the claim is about another kind of plan, or about
// a capacity that implies nothing for the capacity of the problem.
Status CheckConcerns(const CertificateVerdict& claim, const Problem& problem) {
  if (claim.kind != problem.kind()) {
    return InvalidArgumentError(StrCat("certificate: of ",
                                       PlanKindName(claim.kind), "; expected ",
                                       PlanKindName(problem.kind())));
  }
  const optional<size_t> capacity = problem.capacity();
  const bool is_infeasible = claim.status == SolutionStatus::kInfeasible;
  if (is_infeasible &&
      (!claim.capacity || (capacity && *capacity <= *claim.capacity))) {
    return OkStatus();
  }
  if (!is_infeasible && problem.constraints() == nullptr) {
    if (!capacity || claim.total_size <= *capacity) return OkStatus();
    return InvalidArgumentError(
        StrCat("certificate: proves a plan of ", claim.total_size,
               " bytes; expected at most the capacity of ", *capacity));
  }
  // Under constraints, the minimum cost depends on the capacity, so the two
  // capacities must be equal.
  if (!is_infeasible && claim.capacity == capacity) return OkStatus();
  const auto text = [](const optional<size_t>& bytes) {
    return bytes ? StrCat(*bytes, " bytes") : std::string("none");
  };
  return InvalidArgumentError(
      StrCat("certificate: its capacity is ", text(claim.capacity),
             "; expected that of the problem, which is ", text(capacity)));
}

Status Check(const Problem& problem, string_view text, stowage_verdict* verdict,
             stowage_write_fn write, void* context) {
  const auto found = CheckCertificate(problem.ToSpec(), text);
  if (!found.ok()) return found.status();
  if (found->refuted.empty()) {
    if (Status s = CheckConcerns(*found, problem); !s.ok()) return s;
  }
  if (verdict != nullptr) {
    stowage_verdict out = {};
    out.checked = found->checked.size();
    out.proved = found->proved.size();
    out.not_checked = found->not_checked.size();
    WriteSized(out, verdict);
  }
  Status s = PassOnAll("checked", found->checked, write, context);
  if (s.ok()) s = PassOnAll("proved", found->proved, write, context);
  if (s.ok()) s = PassOnAll("not checked", found->not_checked, write, context);
  if (!s.ok() || found->refuted.empty()) return s;
  return FailedPreconditionError(
      StrCat("certificate: refuted: ", found->refuted));
}

}  // namespace
}  // namespace stowage::c_api

namespace c_api = stowage::c_api;

extern "C" {

stowage_code stowage_write_certificate(const stowage_problem* problem,
                                       const stowage_solution* solution,
                                       stowage_write_fn write, void* context,
                                       stowage_error* error) {
  return c_api::AtBorder(error, [&] {
    stowage::Status s = c_api::CheckHandle(problem, "problem");
    if (s.ok()) s = c_api::CheckHandle(solution, "solution");
    if (!s.ok()) return s;
    if (write == nullptr) {
      return stowage::InvalidArgumentError("write: null; expected a function");
    }
    // Copies the contents of the handles, since `write` may free the handles.
    const stowage::Problem given = problem->problem;
    const stowage::Problem solved = solution->problem;
    const std::shared_ptr<const stowage::Solution> found = solution->solution;
    if (given.fingerprint() != solved.fingerprint()) {
      return stowage::InvalidArgumentError(
          "solution: belongs to another problem; expected one of this problem");
    }
    return c_api::Write(given, *found, write, context);
  });
}

stowage_code stowage_check_certificate(const stowage_problem* problem,
                                       const char* text, size_t size,
                                       stowage_verdict* verdict,
                                       stowage_write_fn write, void* context,
                                       stowage_error* error) {
  return c_api::AtBorder(error, [&] {
    stowage::Status s = c_api::CheckHandle(problem, "problem");
    if (s.ok()) s = c_api::CheckArray(text, size, "text");
    if (s.ok() && verdict != nullptr) s = c_api::CheckSized(verdict, "verdict");
    if (!s.ok()) return s;
    return c_api::Check(problem->problem,
                        stowage::string_view(size == 0 ? "" : text, size),
                        verdict, write, context);
  });
}

}  // extern "C"
