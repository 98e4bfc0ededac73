#include "stowage/testing/find_failure.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "stowage/profile.h"
#include "stowage/tensor_size.h"
#include "stowage/testing/families.h"
#include "stowage/testing/instance.h"
#include "stowage/testing/plan_fn.h"
#include "stowage/testing/properties.h"
#include "stowage/testing/random_records.h"
#include "stowage/testing/shrink.h"

namespace stowage::testing {
namespace {

absl::Status Check(const Property& property, const PlanFn& planner,
                   absl::Span<const ByteRecord> records,
                   const Alignments& alignments) {
  return property.check(planner, records, alignments);
}

absl::Status Check(const ObjectsProperty& property,
                   const ObjectsPlanFn& planner,
                   absl::Span<const ByteRecord> records,
                   const Alignments& /*alignments*/) {
  return property.check(planner, records);
}

std::vector<Family> FamiliesOf(const SearchForFailure& search) {
  if (!search.families.empty()) return search.families;
  std::vector<Family> all;
  for (const FamilyInfo& info : AllFamilies()) all.push_back(info.family);
  return all;
}

template <typename P, typename Fn>
class FailureSearch {
 public:
  FailureSearch(const Fn& planner, const SearchForFailure& search,
                absl::Span<const P> properties)
      : planner_(planner),
        search_(search),
        properties_(properties),
        families_(FamiliesOf(search)) {}

  absl::optional<Failure> Run() const {
    const size_t round = kTurns * families_.size();
    for (size_t begin = 0; begin < search_.traces; begin += round) {
      const size_t end = begin + std::min(round, search_.traces - begin);
      for (size_t i = begin; i < end; ++i) {
        for (size_t p = 0; p < properties_.size(); ++p) {
          auto failure = FailureOf(i, properties_[p]);
          if (!failure) continue;
          auto plainer = FirstFailure(properties_.first(p), i + 1, end);
          return plainer ? plainer : failure;
        }
      }
    }
    return absl::nullopt;
  }

 private:
  // Turns of a round: enough for a plain property to fail where one that makes
  // larger traces of small ones has failed before.
  static constexpr size_t kTurns = 10;

  absl::optional<Failure> FirstFailure(absl::Span<const P> properties,
                                       size_t begin, size_t end) const {
    for (const P& property : properties) {
      for (size_t i = begin; i < end; ++i) {
        if (auto failure = FailureOf(i, property)) return failure;
      }
    }
    return absl::nullopt;
  }

  absl::optional<Failure> FailureOf(size_t i, const P& property) const {
    Failure failure = Trial(i);
    failure.status = Check(property, planner_, failure.found.records,
                           failure.found.alignment());
    if (failure.status.ok()) return absl::nullopt;
    return Shrunk(property, std::move(failure));
  }

  // The i-th trace: families take turns, sizes grow from one turn to the next
  // and start again, and every other turn has alignments.
  Failure Trial(size_t i) const {
    const size_t turn = i / families_.size();
    Knobs knobs = search_.knobs;
    knobs.max_alignment = turn % 2 == 1 ? search_.max_alignment : 1;
    Failure trial;
    trial.family = families_[i % families_.size()];
    trial.seed = search_.seed + i;
    trial.traces = i + 1;
    trial.found = RandomInstance(trial.family, trial.seed,
                                 turn / 2 % (search_.max_size + 1), knobs);
    return trial;
  }

  Failure Shrunk(const P& property, Failure failure) const {
    failure.property = property.name;
    failure.sentence = property.sentence;
    failure.smallest = ShrinkRecords(
        failure.found.records, failure.found.alignment(),
        [&](absl::Span<const ByteRecord> records,
            const Alignments& alignments) {
          return !Check(property, planner_, records, alignments).ok();
        });
    absl::Status status = Check(property, planner_, failure.smallest.records,
                                failure.smallest.alignment());
    // Of a planner whose answers depend on what it was asked before, the trace
    // that it was caught with is all there is.
    if (status.ok()) {
      failure.smallest = failure.found;
    } else {
      failure.status = std::move(status);
    }
    return failure;
  }

  const Fn& planner_;
  const SearchForFailure& search_;
  absl::Span<const P> properties_;
  std::vector<Family> families_;
};

}  // namespace

absl::optional<Failure> FindFailure(const PlanFn& planner,
                                    const SearchForFailure& search,
                                    absl::Span<const Property> properties) {
  return FailureSearch<Property, PlanFn>(planner, search, properties).Run();
}

absl::optional<Failure> FindFailure(
    const ObjectsPlanFn& planner, const SearchForFailure& search,
    absl::Span<const ObjectsProperty> properties) {
  SearchForFailure unaligned = search;
  unaligned.max_alignment = 1;
  return FailureSearch<ObjectsProperty, ObjectsPlanFn>(planner, unaligned,
                                                       properties)
      .Run();
}

std::string Describe(const Failure& failure) {
  std::string text = absl::StrCat(
      "property   ", failure.property, ": ", failure.sentence, "\n",
      "violated   ", failure.status.message(), "\n", "found in   trace ",
      failure.traces, ", of the family ", InfoOf(failure.family).name,
      " with seed ", failure.seed, ": ", failure.found.records.size(),
      " records, shrunk to ", failure.smallest.records.size(), "\n");
  for (size_t i = 0; i < failure.smallest.records.size(); ++i) {
    const ByteRecord& record = failure.smallest.records[i];
    absl::StrAppend(&text, "tensor ", i, "   ", record.tensor_size,
                    record.tensor_size == 1 ? " byte" : " bytes", ", tasks [",
                    record.first_task, ", ", record.last_task, "]");
    if (!failure.smallest.alignments.empty()) {
      absl::StrAppend(&text, ", alignment ", failure.smallest.alignments[i]);
    }
    absl::StrAppend(&text, "\n");
  }
  return text;
}

}  // namespace stowage::testing
