#include "stowage/testing/find_failure.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/testing/random_draws.h"
#include "src/testing/sides.h"
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

// The property of a planner that says something: without a plan nothing is ever
// wrong. Asked of no planner that has planned anything.
template <typename Side>
absl::Status IsPlanned(const typename Side::Fn& planner,
                       const Instance& instance) {
  if (instance.records.empty() || !IsPlannable(instance)) {
    return absl::OkStatus();
  }
  absl::Status answer = Side::Ask(planner, instance).status();
  if (answer.ok()) return answer;
  return Wrong("the planner has planned nothing that it was asked: ",
               answer.ToString());
}

constexpr PropertyText kPlanned = {"planned", "Some trace is planned."};

void SetPlanned(Property* property) {
  *property = {kPlanned.name, kPlanned.sentence,
               &OnOffsets<&IsPlanned<OffsetsSide>>};
}

void SetPlanned(ObjectsProperty* property) {
  *property = {kPlanned.name, kPlanned.sentence,
               &OnObjects<&IsPlanned<ObjectsSide>>};
}

// What is seen of a planner at work.
struct Watch {
  bool has_planned = false;  // records, not just none
  bool keeps_asked = false;
  Instance asked;  // last, if that is kept
};

// The planner, watched.
template <typename Fn>
Fn Watched(const Fn& planner, Watch* watch) {
  if (!planner) return {};
  return [&planner, watch](absl::Span<const ByteRecord> records,
                           const auto&... alignments) {
    if (watch->keeps_asked) watch->asked = MakeInstance(records, alignments...);
    auto plan = planner(records, alignments...);
    if (plan.ok() && !records.empty()) watch->has_planned = true;
    return plan;
  };
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
      : planner_(Watched(planner, &watch_)),
        search_(search),
        properties_(properties),
        families_(FamiliesOf(search)) {}

  FailureSearch(const FailureSearch&) = delete;
  FailureSearch& operator=(const FailureSearch&) = delete;

  absl::optional<Failure> Run() {
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
    if (watch_.has_planned) return absl::nullopt;
    P planned;
    SetPlanned(&planned);
    auto failure = FirstFailure({&planned, 1}, 0, search_.traces);
    // What it is asked while traces shrink counts as well.
    return watch_.has_planned ? absl::nullopt : failure;
  }

 private:
  // Turns of a round: enough for a plain property to fail where one that makes
  // larger traces of small ones has failed before.
  static constexpr size_t kTurns = 10;
  static constexpr size_t kUsualAlignment = 256;

  absl::optional<Failure> FirstFailure(absl::Span<const P> properties,
                                       size_t begin, size_t end) {
    for (const P& property : properties) {
      for (size_t i = begin; i < end; ++i) {
        if (auto failure = FailureOf(i, property)) return failure;
      }
    }
    return absl::nullopt;
  }

  absl::optional<Failure> FailureOf(size_t i, const P& property) {
    Failure failure = Trial(i);
    failure.status = Check(property, planner_, failure.found.records,
                           failure.found.alignment());
    if (failure.status.ok()) return absl::nullopt;
    return Shrunk(property, std::move(failure));
  }

  // The i-th trace: families take turns, and every other turn has alignments.
  Failure Trial(size_t i) const {
    const size_t turn = i / families_.size();
    Knobs knobs = search_.knobs;
    knobs.max_alignment = 1;
    if (turn % 4 == 1) {
      knobs.max_alignment = std::min(kUsualAlignment, search_.max_alignment);
    } else if (turn % 4 == 3) {
      knobs.max_alignment = search_.max_alignment;
    }
    Failure trial;
    trial.family = families_[i % families_.size()];
    trial.seed = search_.seed + i;
    trial.traces = i + 1;
    trial.found =
        LargeSize(i) > 0
            ? LargeInstance(trial.family, trial.seed, LargeSize(i), knobs)
            : RandomInstance(trial.family, trial.seed, DrawsOf(turn), knobs);
    return trial;
  }

  // They grow from one turn to the next, and start again.
  size_t DrawsOf(size_t turn) const {
    const size_t draws = turn / 2;
    return draws <= search_.max_size ? draws : draws % (search_.max_size + 1);
  }

  // The records that the i-th trace may have if it is one of the large ones,
  // which are spread over turns and families; otherwise 0.
  size_t LargeSize(size_t i) const {
    const size_t place = i / families_.size() + i % families_.size();
    if (place % 40 != 39) return 0;
    return place % 80 == 79 ? search_.large_size
                            : std::min<size_t>(70, search_.large_size);
  }

  Failure Shrunk(const P& property, Failure failure) {
    failure.property = property.name;
    failure.sentence = property.sentence;
    failure.smallest = ShrinkRecords(
        failure.found.records, failure.found.alignment(),
        [&](absl::Span<const ByteRecord> records,
            const Alignments& alignments) {
          return !Check(property, planner_, records, alignments).ok();
        });
    watch_.keeps_asked = true;
    watch_.asked = failure.smallest;
    absl::Status status = Check(property, planner_, failure.smallest.records,
                                failure.smallest.alignment());
    watch_.keeps_asked = false;
    failure.asked = std::move(watch_.asked);
    // Of a planner whose answers depend on what it was asked before, the trace
    // that it was caught with is all there is.
    if (status.ok()) {
      failure.smallest = failure.found;
      failure.asked = failure.found;
    } else {
      failure.status = std::move(status);
    }
    return failure;
  }

  Watch watch_;
  const Fn planner_;
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

namespace {

bool SameInstance(const Instance& a, const Instance& b) {
  if (a.records.size() != b.records.size()) return false;
  for (size_t i = 0; i < a.records.size(); ++i) {
    const ByteRecord& x = a.records[i];
    const ByteRecord& y = b.records[i];
    if (x.tensor_size != y.tensor_size || x.first_task != y.first_task ||
        x.last_task != y.last_task ||
        a.alignment().Of(i) != b.alignment().Of(i)) {
      return false;
    }
  }
  return true;
}

std::string RecordsText(const Instance& instance) {
  std::string text;
  for (size_t i = 0; i < instance.records.size(); ++i) {
    const ByteRecord& record = instance.records[i];
    absl::StrAppend(&text, "tensor ", i, "   ", record.tensor_size,
                    record.tensor_size == 1 ? " byte" : " bytes", ", tasks [",
                    record.first_task, ", ", record.last_task, "]");
    if (!instance.alignments.empty()) {
      absl::StrAppend(&text, ", alignment ", instance.alignments[i]);
    }
    absl::StrAppend(&text, "\n");
  }
  return text;
}

}  // namespace

std::string Describe(const Failure& failure) {
  std::string text = absl::StrCat(
      "property   ", failure.property, ": ", failure.sentence, "\n",
      "violated   ", failure.status.message(), "\n", "found in   trace ",
      failure.traces, ", of the family ", InfoOf(failure.family).name,
      " with seed ", failure.seed, ": ", failure.found.records.size(),
      " records, shrunk to ", failure.smallest.records.size(), "\n");
  if (!SameInstance(failure.asked, failure.smallest)) {
    absl::StrAppend(&text, "changed    as the property has it, to ",
                    failure.asked.records.size(), "\n");
  }
  return text + RecordsText(failure.asked);
}

}  // namespace stowage::testing
