// SPDX-License-Identifier: Apache-2.0

#include "stowage/c/problem.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "src/base/str_cat.h"
#include "src/c/border.h"
#include "src/c/builder.h"
#include "src/c/handles.h"
#include "src/c/numbers.h"
#include "stowage/base/status.h"
#include "stowage/bound_proof.h"
#include "stowage/constraints.h"
#include "stowage/lower_bound.h"
#include "stowage/problem.h"

namespace stowage::c_api {
namespace {

Status CheckProblem(const stowage_problem* problem) {
  return CheckHandle(problem, "problem");
}

// Checks a problem, and an array that must have room for one entry per record
// of the problem.
Status CheckRoom(const stowage_problem* problem, const void* array,
                 size_t capacity) {
  if (Status s = CheckProblem(problem); !s.ok()) return s;
  const size_t count = problem->problem.size();
  if (capacity < count) {
    return OutOfRangeError(StrCat("capacity: ", capacity,
                                  " entries; expected at least ", count,
                                  ", one per record"));
  }
  return count == 0 ? OkStatus() : CheckPointer(array, "array");
}

}  // namespace

}  // namespace stowage::c_api

namespace c_api = stowage::c_api;

extern "C" {

stowage_code stowage_problem_create(const stowage_builder* builder,
                                    stowage_problem** problem,
                                    stowage_error* error) {
  if (problem != nullptr) *problem = nullptr;
  return c_api::AtBorder(error, [&] {
    stowage::Status s = c_api::CheckPointer(problem, "problem");
    if (s.ok()) s = c_api::CheckHandle(builder, "builder");
    if (!s.ok()) return s;
    auto spec = c_api::SpecOf(*builder);
    if (!spec.ok()) return spec.status();
    auto checked = stowage::Problem::Create(*std::move(spec));
    if (!checked.ok()) return checked.status();
    *problem = new stowage_problem(*std::move(checked));
    return s;
  });
}

void stowage_problem_free(stowage_problem* problem) { delete problem; }

stowage_code stowage_problem_get_info(const stowage_problem* problem,
                                      stowage_problem_info* info,
                                      stowage_error* error) {
  return c_api::AtBorder(error, [&] {
    stowage::Status s = c_api::CheckProblem(problem);
    if (s.ok()) s = c_api::CheckSized(info, "info");
    if (!s.ok()) return s;
    const stowage::Problem& checked = problem->problem;
    stowage_problem_info out = {};
    out.kind = c_api::KindInC(checked.kind());
    out.count = checked.size();
    out.capacity = checked.capacity().value_or(STOWAGE_NONE);
    out.features = c_api::BitsOf(checked.Requires());
    if (checked.constraints() != nullptr) {
      out.pools = checked.constraints()->pools.size();
    }
    c_api::WriteSized(out, info);
    return s;
  });
}

stowage_code stowage_problem_fingerprint(const stowage_problem* problem,
                                         uint64_t fingerprint[2],
                                         stowage_error* error) {
  return c_api::AtBorder(error, [&] {
    stowage::Status s = c_api::CheckProblem(problem);
    if (s.ok()) s = c_api::CheckPointer(fingerprint, "fingerprint");
    if (!s.ok()) return s;
    fingerprint[0] = problem->problem.fingerprint().high;
    fingerprint[1] = problem->problem.fingerprint().low;
    return s;
  });
}

stowage_code stowage_problem_records(const stowage_problem* problem,
                                     stowage_record* records, size_t capacity,
                                     stowage_error* error) {
  return c_api::AtBorder(error, [&] {
    stowage::Status s = c_api::CheckRoom(problem, records, capacity);
    if (s.ok() && problem->problem.size() > 0) {
      std::memcpy(records, problem->problem.records().data(),
                  problem->problem.size() * sizeof(stowage_record));
    }
    return s;
  });
}

stowage_code stowage_problem_alignments(const stowage_problem* problem,
                                        uint64_t* alignments, size_t capacity,
                                        stowage_error* error) {
  return c_api::AtBorder(error, [&] {
    stowage::Status s = c_api::CheckRoom(problem, alignments, capacity);
    for (size_t i = 0; s.ok() && i < problem->problem.size(); ++i) {
      alignments[i] = problem->problem.alignments().Of(i);
    }
    return s;
  });
}

stowage_code stowage_problem_fixed(const stowage_problem* problem,
                                   uint64_t* offsets, size_t capacity,
                                   stowage_error* error) {
  return c_api::AtBorder(error, [&] {
    stowage::Status s = c_api::CheckRoom(problem, offsets, capacity);
    for (size_t i = 0; s.ok() && i < problem->problem.size(); ++i) {
      offsets[i] = problem->problem.fixed_offset(i).value_or(STOWAGE_NONE);
    }
    return s;
  });
}

stowage_code stowage_problem_places(const stowage_problem* problem,
                                    stowage_place* places, size_t capacity,
                                    stowage_error* error) {
  return c_api::AtBorder(error, [&] {
    stowage::Status s = c_api::CheckRoom(problem, places, capacity);
    if (!s.ok()) return s;
    const stowage::Constraints* constraints = problem->problem.constraints();
    const bool is_placed =
        constraints != nullptr && !constraints->places.empty();
    for (size_t i = 0; i < problem->problem.size(); ++i) {
      places[i] = c_api::PlaceInC(is_placed ? constraints->places[i]
                                            : stowage::RecordPlace());
    }
    return s;
  });
}

stowage_code stowage_problem_bound(const stowage_problem* problem,
                                   stowage_bound* bound, stowage_error* error) {
  return c_api::AtBorder(error, [&] {
    stowage::Status s = c_api::CheckProblem(problem);
    if (s.ok()) s = c_api::CheckSized(bound, "bound");
    if (!s.ok()) return s;
    const stowage::LowerBound& known = stowage::LowerBoundOf(problem->problem);
    stowage_bound out = {};
    out.proof = c_api::ProofInC(known.proof);
    out.proof_index = known.proof.index;
    out.bytes = known.bytes;
    out.naive_size = stowage::NaiveSize(problem->problem);
    c_api::WriteSized(out, bound);
    return s;
  });
}

stowage_code stowage_describe_proof(uint32_t proof, uint64_t proof_index,
                                    char* text, size_t capacity,
                                    stowage_error* error) {
  return c_api::AtBorder(error, [&] {
    stowage::Status s = c_api::CheckPointer(text, "text");
    if (!s.ok()) return s;
    if (capacity == 0) {
      return stowage::OutOfRangeError("capacity: 0 bytes; expected at least 1");
    }
    if (proof > STOWAGE_PROOF_ALL_CHOICES) {
      return stowage::InvalidArgumentError(
          stowage::StrCat("proof: ", proof, "; expected at most ",
                          STOWAGE_PROOF_ALL_CHOICES, ", a STOWAGE_PROOF_"));
    }
    const stowage::BoundProof known = {
        static_cast<stowage::BoundProof::Kind>(proof), proof_index};
    c_api::CopyText(Describe(known), text, capacity);
    return s;
  });
}

}  // extern "C"
