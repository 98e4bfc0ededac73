// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <limits>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "stowage/constraints.h"
#include "stowage/problem.h"
#include "stowage/verify.h"

namespace stowage {
namespace {

// Writes one line about a violation, with all known names.
class Description {
 public:
  Description(const Violation& violation, absl::Span<const std::string> names,
              absl::Span<const MemoryPool> pools)
      : violation_(violation),
        names_(names),
        pools_(pools),
        first_(Tensor(violation.first_tensor)) {}

  std::string Write() const;

 private:
  using Kind = Violation::Kind;

  std::string Tensor(size_t i) const {
    return i < names_.size() ? absl::StrCat("tensor '", names_[i], "'")
                             : absl::StrCat("tensor ", i);
  }
  std::string Pool(size_t i) const {
    return i < pools_.size() ? absl::StrCat("pool '", pools_[i].name, "'")
                             : absl::StrCat("pool ", i);
  }
  std::string Bytes() const {
    return absl::StrCat("bytes [", violation_.begin, ", ", violation_.end, ")");
  }
  // Returns the bytes, and their pool if there are several pools.
  std::string BytesOfPool() const {
    return pools_.size() < 2
               ? Bytes()
               : absl::StrCat(Bytes(), " of ", Pool(violation_.pool));
  }
  std::string BothHold(absl::string_view what) const {
    return absl::StrCat(first_, " and ", Tensor(violation_.second_tensor),
                        " both hold ", what);
  }

  std::string WriteOfConstraint() const;
  std::string WriteGroupBroken() const;
  std::string WriteWrongPool() const;
  std::string WriteUnorderedSharing() const;

  const Violation& violation_;
  absl::Span<const std::string> names_;
  absl::Span<const MemoryPool> pools_;
  std::string first_;
};

std::string Description::Write() const {
  const Violation& v = violation_;
  switch (v.kind) {
    case Kind::kInvalidRecord:
      return absl::StrCat(first_, " has its first task after its last task");
    case Kind::kInvalidAlignment:
      return "the alignments asked for are not a power of two for each tensor";
    case Kind::kCountMismatch:
      return absl::StrCat("the plan has ", v.first_tensor, " places for ",
                          v.limit, " tensors");
    case Kind::kUnknownObject:
      return absl::StrCat(first_, " has object ", v.object, ", but there are ",
                          v.limit, " objects");
    case Kind::kObjectTooSmall:
      return absl::StrCat(first_, " is larger than its object ", v.object);
    case Kind::kMisaligned:
      return absl::StrCat(first_, " starts at byte ", v.begin,
                          ", which is not a multiple of ", v.limit);
    case Kind::kBeyondArena:
      return absl::StrCat(
          first_, " holds ", BytesOfPool(), ", beyond ",
          pools_.empty()
              ? absl::StrCat("an arena of ", v.limit, " bytes")
              : absl::StrCat("the ", v.limit, " bytes that the total leaves"));
    case Kind::kOverlappingBytes:
      return absl::StrCat(BothHold(BytesOfPool()), " at task ", v.task);
    case Kind::kSharedObject:
      return absl::StrCat(BothHold(absl::StrCat("object ", v.object)),
                          " at task ", v.task);
    case Kind::kNotAtFixedOffset:
      return absl::StrCat(first_, " starts at byte ", v.begin,
                          "; expected its fixed offset ", v.limit);
    default:
      return WriteOfConstraint();
  }
}

std::string Description::WriteOfConstraint() const {
  const Violation& v = violation_;
  switch (v.kind) {
    case Kind::kOutsideRange:
      return absl::StrCat(first_, " holds ", Bytes(), "; expected none ",
                          v.begin < v.limit ? "below byte " : "from byte ",
                          v.limit, v.begin < v.limit ? "" : " on");
    case Kind::kGroupBroken:
      return WriteGroupBroken();
    case Kind::kInHole:
      return absl::StrCat(first_, " holds ", BytesOfPool(), " in hole ", v.hole,
                          " at task ", v.task);
    case Kind::kNotApart:
      return absl::StrCat(BothHold(BytesOfPool()),
                          "; expected them to share no byte at any time");
    case Kind::kWrongPool:
      return WriteWrongPool();
    case Kind::kBeyondPool:
      return absl::StrCat(first_, " holds ", Bytes(), ", beyond the ", v.limit,
                          " bytes of ", Pool(v.pool));
    case Kind::kBeyondCapacity:
      return absl::StrCat(first_, " holds ", Bytes(), ", beyond the capacity ",
                          v.limit);
    case Kind::kUnorderedSharing:
      return WriteUnorderedSharing();
    default:
      return "unknown violation";
  }
}

std::string Description::WriteGroupBroken() const {
  const Violation& v = violation_;
  if (v.first_tensor == v.second_tensor) {
    return absl::StrCat(first_, " starts at byte ", v.begin,
                        "; expected at least ", v.limit,
                        ", where its group starts at byte 0");
  }
  return absl::StrCat(Tensor(v.second_tensor), " starts at byte ", v.end,
                      "; expected ", v.limit, " bytes above ", first_,
                      " of its group, which starts at byte ", v.begin);
}

std::string Description::WriteWrongPool() const {
  const Violation& v = violation_;
  if (v.pool == std::numeric_limits<size_t>::max()) {
    return absl::StrCat(first_, " has no pool; expected one that it may use");
  }
  if (v.first_tensor == v.second_tensor) {
    return absl::StrCat(first_, " is in ", Pool(v.pool),
                        "; expected one that it may use");
  }
  return absl::StrCat(first_, " is in ", Pool(v.pool), "; expected ",
                      Pool(v.limit), ", which ", Tensor(v.second_tensor),
                      " of its group is in");
}

std::string Description::WriteUnorderedSharing() const {
  const Violation& v = violation_;
  const std::string held = absl::StrCat(BothHold(BytesOfPool()), ", and task ");
  if (v.task == v.second_task) {
    return absl::StrCat(held, v.task, " uses both");
  }
  if (v.second_task == v.third_task) {
    return absl::StrCat(held, v.task, " of the first and task ", v.second_task,
                        " of the second may run at once");
  }
  return absl::StrCat(held, v.task, " of the first runs between tasks ",
                      v.second_task, " and ", v.third_task, " of the second");
}

}  // namespace

std::string Describe(const Violation& violation,
                     absl::Span<const std::string> names) {
  return Description(violation, names, {}).Write();
}

std::string Describe(const Violation& violation, const Problem& problem) {
  const Constraints* const constraints = problem.constraints();
  return Description(violation, problem.names(),
                     constraints == nullptr
                         ? absl::Span<const MemoryPool>()
                         : absl::MakeConstSpan(constraints->pools))
      .Write();
}

}  // namespace stowage
