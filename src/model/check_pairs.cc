// SPDX-License-Identifier: Apache-2.0
#include "src/model/check_pairs.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "src/base/str_cat.h"
#include "src/model/find_repeated.h"
#include "src/model/record_errors.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/base/string_view.h"
#include "stowage/constraints.h"
#include "stowage/error_payload.h"
#include "stowage/tensor_size.h"

namespace stowage {

Status CheckIndex(string_view what, size_t index, size_t record,
                  size_t records) {
  if (record < records) return OkStatus();
  return InvalidArgumentError(StrCat(what, " ", index, ": it names record ",
                                     record, "; expected an index below ",
                                     records));
}

namespace {

// Checks that pair `p` refers to two different records.
Status CheckPair(string_view what, size_t p,
                 const std::pair<size_t, size_t>& pair, size_t records) {
  for (const size_t i : {pair.first, pair.second}) {
    if (Status s = CheckIndex(what, p, i, records); !s.ok()) return s;
  }
  if (pair.first != pair.second) return OkStatus();
  return InvalidRecords(
      {pair.first},
      StrCat(what, " ", p, " names it twice; expected two records"));
}

// Returns an error if two pairs refer to the same two records, in either order.
// `Pair` must have the members `first` and `second`.
template <typename Pair>
Status CheckPairsDiffer(string_view what, Span<const Pair> pairs) {
  const auto repeated = FindRepeated(pairs.size(), [&](size_t p) {
    return std::minmax(pairs[p].first, pairs[p].second);
  });
  if (!repeated) return OkStatus();
  const Pair& pair = pairs[repeated->second];
  const auto [first, second] = std::minmax(pair.first, pair.second);
  return InvalidRecords(
      {first, second}, StrCat(what, " ", repeated->second, " is the same as ",
                              repeated->first, "; expected each once at most"));
}

// Checks that each pair refers to two different records and that no pair is
// repeated.
Status CheckNever(Span<const std::pair<size_t, size_t>> pairs, size_t records) {
  constexpr char kWhat[] = "pair of never";
  for (size_t p = 0; p < pairs.size(); ++p) {
    if (Status s = CheckPair(kWhat, p, pairs[p], records); !s.ok()) return s;
  }
  return CheckPairsDiffer(kWhat, pairs);
}

// Checks that each preference refers to two different records. Several
// preferences may refer to the same records, in which case their costs are
// added.
Status CheckPreferences(Span<const ApartPreference> preferences,
                        size_t records) {
  for (size_t p = 0; p < preferences.size(); ++p) {
    const ApartPreference& preference = preferences[p];
    if (Status s = CheckPair("preference", p,
                             {preference.first, preference.second}, records);
        !s.ok()) {
      return s;
    }
  }
  return OkStatus();
}

constexpr char kOnePlace[] = "pair of same_or_apart";

// Returns, for each record, the apart sets that contain it.
std::vector<std::vector<size_t>> ApartSetsOf(const ProblemSpec& spec) {
  std::vector<std::vector<size_t>> sets(spec.records.size());
  for (size_t s = 0; s < spec.constraints.apart.size(); ++s) {
    for (const size_t i : spec.constraints.apart[s]) sets[i].push_back(s);
  }
  return sets;
}

// Returns whether two sorted lists have a common entry.
bool HaveCommonEntry(Span<const size_t> a, Span<const size_t> b) {
  if (a.size() > b.size()) std::swap(a, b);
  return std::any_of(a.begin(), a.end(), [&](size_t entry) {
    return std::binary_search(b.begin(), b.end(), entry);
  });
}

Status CheckSharedPlace(const ProblemSpec& spec, const SharedPlace& pair,
                        Span<const std::vector<size_t>> apart) {
  const auto [a, b] = std::minmax(pair.first, pair.second);
  const size_t size_of_a = spec.records[a].tensor_size;
  const size_t size_of_b = spec.records[b].tensor_size;
  if (size_of_a != size_of_b) {
    return InvalidRecords(
        {a, b}, StrCat("they may lie in one place, but have ", size_of_a,
                       " and ", size_of_b, " bytes; expected equal sizes"));
  }
  if (HaveCommonEntry(apart[a], apart[b])) {
    return InvalidRecords(
        {a, b},
        "they may lie in one place, but are apart; expected one of the two");
  }
  const std::vector<RecordPlace>& places = spec.constraints.places;
  if (places.empty() || places[a].group == kNoGroup ||
      places[a].group != places[b].group || places[a].at == places[b].at) {
    return OkStatus();
  }
  return InvalidRecords({a, b},
                        "they may lie in one place, but their group keeps them "
                        "in different places; expected equal displacements");
}

Status CheckSharedPlaces(const ProblemSpec& spec) {
  const std::vector<SharedPlace>& pairs = spec.constraints.same_or_apart;
  if (pairs.empty()) return OkStatus();
  const std::vector<std::vector<size_t>> apart = ApartSetsOf(spec);
  size_t sum = 0;
  for (size_t p = 0; p < pairs.size(); ++p) {
    const SharedPlace& pair = pairs[p];
    if (Status s = CheckPair(kOnePlace, p, {pair.first, pair.second},
                             spec.records.size());
        !s.ok()) {
      return s;
    }
    if (Status s = CheckSharedPlace(spec, pair, apart); !s.ok()) return s;
    const optional<size_t> next = CheckedAdd(sum, pair.copied);
    if (!next) {
      return WithRecords(
          OutOfRangeError(StrCat(kOnePlace, " ", p, ": ", pair.copied,
                                 " bytes make the sum of the bytes that need "
                                 "not be copied overflow 64 bits; expected a "
                                 "sum below 2^64")),
          {pair.first, pair.second});
    }
    sum = *next;
  }
  return CheckPairsDiffer(kOnePlace, MakeConstSpan(pairs));
}

}  // namespace

Status CheckPairs(const ProblemSpec& spec) {
  const Constraints& constraints = spec.constraints;
  const size_t records = spec.records.size();
  if (Status s = CheckNever(constraints.never, records); !s.ok()) return s;
  if (Status s = CheckPreferences(constraints.prefer_apart, records); !s.ok()) {
    return s;
  }
  return CheckSharedPlaces(spec);
}

}  // namespace stowage
