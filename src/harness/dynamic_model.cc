// SPDX-License-Identifier: Apache-2.0
#include "stowage/harness/dynamic_model.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "src/harness/fit_sizes.h"
#include "stowage/base/random.h"
#include "stowage/base/text.h"
#include "stowage/dynamic/dynamic_problem.h"
#include "stowage/error_payload.h"
#include "stowage/harness/shape_parameters.h"
#include "stowage/problem.h"
#include "stowage/usage_record.h"

namespace stowage::harness {
namespace {

// The number of parameter values, spread over the ranges of the parameters, at
// which expressions are tested. If no expression fits the sizes of some record,
// these values become the scenarios.
constexpr size_t kSpreadSamples = 32;
// The number of random parameter values at which expressions are tested.
constexpr size_t kRandomSamples = 16;
// The largest degree of a polynomial of one quotient (FindScale).
constexpr size_t kScaleDegree = 2;
// The number of neighboring values of a parameter that are sampled to find its
// quotients. It is large enough for kScaleDegree + 3 different quotients even
// with the largest divisor.
constexpr size_t kNeighbours = (kScaleDegree + 3) * kMaxSizeDivisor;

// Returns the name of a record for messages.
std::string RecordText(const ProblemSpec& spec, size_t record) {
  std::string name = absl::StrCat("tensor ", record < spec.names.size()
                                                 ? FileText(spec.names[record])
                                                 : absl::StrCat(record));
  if (record < spec.labels.tensors.size() &&
      !spec.labels.tensors[record].name.empty()) {
    absl::StrAppend(&name, " ", Quoted(spec.labels.tensors[record].name));
  }
  return name;
}

std::string TasksOf(const ByteRecord& record) {
  return absl::StrCat("tasks ", record.first_task, " to ", record.last_task);
}

// Replaces each extent of `*shape` that differs from the corresponding extent
// of `other` with "?". Clears `*shape` if the ranks differ.
void JoinShapes(absl::string_view other, std::string* shape) {
  if (*shape == other) return;
  std::vector<std::string> extents = absl::StrSplit(*shape, 'x');
  const std::vector<std::string> others = absl::StrSplit(other, 'x');
  if (extents.size() != others.size()) return shape->clear();
  for (size_t d = 0; d < extents.size(); ++d) {
    if (extents[d] != others[d]) extents[d] = "?";
  }
  *shape = absl::StrJoin(extents, "x");
}

// Prepares a model at several values of its parameters and stores the sizes of
// the records at these values.
class Sampler {
 public:
  // All arguments must outlive this object.
  Sampler(const ShapeParameters& open, const DynamicProblem& values,
          const RecordsAtShapes& records_at)
      : open_(open), values_(values), records_at_(records_at) {}

  // Computes and stores the sizes at `values`, unless they are already stored
  // or `values` is outside the limits. Error: InvalidArgument, with the name of
  // a tensor in the message, if the records differ from those at the first
  // values.
  absl::Status Take(const ParameterValues& values) {
    if (sizes_.count(values) > 0 || !values_.SizesAt(values).ok()) {
      return absl::OkStatus();
    }
    const std::string place = absl::StrCat("at ", values_.Describe(values));
    absl::StatusOr<ProblemSpec> spec = records_at_(ShapesAt(open_, values));
    if (!spec.ok()) return AtPlace(place, spec.status());
    if (sizes_.empty()) {
      first_ = values;
      common_ = *spec;
    }
    if (absl::Status s = Join(*spec); !s.ok()) return AtPlace(place, s);
    std::vector<size_t>& sizes = sizes_[values];
    for (const ByteRecord& record : spec->records) {
      sizes.push_back(record.tensor_size);
    }
    return absl::OkStatus();
  }

  // Returns the samples for which `accept` returns true, in rising order of
  // their values.
  template <typename Accept>
  std::vector<SizeSample> Samples(const Accept& accept) const {
    std::vector<SizeSample> samples;
    for (const auto& [values, sizes] : sizes_) {
      if (accept(values)) samples.push_back({values, sizes});
    }
    return samples;
  }

  size_t count() const { return sizes_.size(); }
  const ParameterValues& first() const { return first_; }
  // Returns the sizes at `values`. Requires that Take has stored them.
  const std::vector<size_t>& SizesAt(const ParameterValues& values) const {
    return sizes_.find(values)->second;
  }
  // Returns the part of the problem that is the same at all values, with all
  // sizes 0.
  const ProblemSpec& common() const { return common_; }

 private:
  absl::Status Join(const ProblemSpec& spec);

  const ShapeParameters& open_;
  const DynamicProblem& values_;
  const RecordsAtShapes& records_at_;
  ParameterValues first_;
  ProblemSpec common_;
  std::map<ParameterValues, std::vector<size_t>> sizes_;
};

// Compares the records with the records at the first values, and keeps only
// what they have in common.
absl::Status Sampler::Join(const ProblemSpec& spec) {
  const std::string first = values_.Describe(first_);
  const size_t count = std::max(spec.records.size(), common_.records.size());
  for (size_t i = 0; i < count; ++i) {
    const bool is_missing = i >= spec.records.size();
    if (is_missing || i >= common_.records.size() ||
        RecordText(spec, i) != RecordText(common_, i)) {
      return absl::InvalidArgumentError(absl::StrCat(
          RecordText(is_missing ? common_ : spec, i), " has ",
          is_missing ? "no record" : "a record", "; expected the records at ",
          first, ", since the set of records must not depend on parameters"));
    }
    ByteRecord& known = common_.records[i];
    const ByteRecord& record = spec.records[i];
    known.tensor_size = 0;
    if (record.first_task == known.first_task &&
        record.last_task == known.last_task) {
      continue;
    }
    return absl::InvalidArgumentError(
        absl::StrCat(RecordText(spec, i), " is live at ", TasksOf(record),
                     "; expected ", TasksOf(known), " as at ", first,
                     ", since lifetimes must not depend on parameters"));
  }
  std::vector<TensorInfo>& tensors = common_.labels.tensors;
  for (size_t i = 0; i < tensors.size() && i < spec.labels.tensors.size();
       ++i) {
    JoinShapes(spec.labels.tensors[i].shape, &tensors[i].shape);
  }
  return absl::OkStatus();
}

// Returns the number of values that a parameter can have.
uint64_t CountOf(const SizeParameter& parameter) {
  return (parameter.max - parameter.min) / parameter.step + 1;
}

// Samples the sizes at the points of a lattice, from which polynomials are
// computed. Along each axis of the lattice, the parameter has the smallest
// values of its range that are `stride` steps apart. The sum of the indices of
// a point is at most the degree of the polynomials.
absl::Status TakeLattice(const ShapeParameters& open, uint64_t stride,
                         Sampler* sampler) {
  const size_t count = open.parameters.size();
  const size_t degree = MaxSizeDegree(count);
  std::vector<uint64_t> index(count, 0);
  while (true) {
    ParameterValues values;
    bool is_in_range = true;
    for (size_t k = 0; k < count; ++k) {
      const SizeParameter& parameter = open.parameters[k];
      is_in_range = is_in_range && index[k] * stride < CountOf(parameter);
      values.push_back(parameter.min + index[k] * stride * parameter.step);
    }
    if (is_in_range) {
      if (absl::Status s = sampler->Take(values); !s.ok()) return s;
    }
    // Advance `index` to the next tuple with a sum of at most `degree`.
    size_t k = 0;
    while (k < count) {
      ++index[k];
      if (absl::c_accumulate(index, uint64_t{0}) <= degree) break;
      index[k++] = 0;
    }
    if (k == count) return absl::OkStatus();
  }
}

absl::Status TakeRandom(const ShapeParameters& open, Sampler* sampler) {
  Random random(/*seed=*/1);
  for (size_t i = 0; i < kRandomSamples; ++i) {
    ParameterValues values;
    for (const SizeParameter& parameter : open.parameters) {
      values.push_back(parameter.min +
                       random.Below(CountOf(parameter)) * parameter.step);
    }
    if (absl::Status s = sampler->Take(values); !s.ok()) return s;
  }
  return absl::OkStatus();
}

// Samples the sizes at neighboring values of one parameter, from its first
// value on. The other parameters have their first values.
absl::Status TakeNeighbours(const ShapeParameters& open, size_t parameter,
                            Sampler* sampler) {
  const SizeParameter& range = open.parameters[parameter];
  ParameterValues values = sampler->first();
  for (size_t i = 0; i < kNeighbours; ++i) {
    if (absl::Status s = sampler->Take(values); !s.ok()) return s;
    if (range.max - values[parameter] < range.step) break;
    values[parameter] += range.step;
  }
  return absl::OkStatus();
}

bool IsEverything(const ParameterValues& /*values*/) { return true; }

// Searches, for each record without an expression, for a polynomial that yields
// the sizes of the record. The variables of the polynomial are quotients of the
// parameters.
absl::Status FitQuotients(const ShapeParameters& open, Sampler* sampler,
                          std::vector<absl::optional<std::string>>* texts) {
  const size_t count = open.parameters.size();
  // For each parameter, the samples that differ from the first sample in no
  // other parameter.
  std::vector<std::vector<SizeSample>> lines;
  for (size_t k = 0; k < count; ++k) {
    if (absl::Status s = TakeNeighbours(open, k, sampler); !s.ok()) return s;
    ParameterValues on_line = sampler->first();
    lines.push_back(sampler->Samples([&](const ParameterValues& values) {
      on_line[k] = values[k];
      return values == on_line;
    }));
  }
  // Records with the same divisors and shifts are fitted together. Records for
  // which all divisors are 1 are fitted a second time, because there are now
  // more samples.
  std::map<std::vector<std::pair<uint64_t, uint64_t>>, std::vector<size_t>>
      records_of;
  for (size_t i = 0; i < texts->size(); ++i) {
    std::vector<std::pair<uint64_t, uint64_t>> key(count, {1, 0});
    for (size_t k = 0; k < count && !(*texts)[i]; ++k) {
      const absl::optional<ScaledParameter> scale =
          FindScale(lines[k], k, i, kScaleDegree);
      if (scale) key[k] = {scale->divisor, scale->shift};
    }
    records_of[key].push_back(i);
  }
  if (absl::Status s = TakeLattice(open, kMaxSizeDivisor, sampler); !s.ok()) {
    return s;
  }
  const std::vector<SizeSample> samples = sampler->Samples(IsEverything);
  for (const auto& [key, records] : records_of) {
    std::vector<ScaledParameter> scales;
    for (const auto& [divisor, shift] : key) scales.push_back({divisor, shift});
    const std::vector<absl::optional<std::string>> found =
        FitSizes(open.parameters, samples, records, scales);
    for (size_t i = 0; i < records.size(); ++i) {
      (*texts)[records[i]] = found[i];
    }
  }
  return absl::OkStatus();
}

// Selects parameter values that are spread over the ranges, and turns each of
// them into a scenario.
absl::Status UseScenarios(const DynamicProblem& values, Sampler* sampler,
                          DynamicSpec* spec) {
  spec->tables.resize(spec->problem.records.size());
  for (const ParameterValues& each : values.SampleValues(kSpreadSamples)) {
    if (absl::Status s = sampler->Take(each); !s.ok()) return s;
    spec->scenarios.push_back(values.Describe(each));
    const std::vector<size_t>& sizes = sampler->SizesAt(each);
    for (size_t i = 0; i < sizes.size(); ++i) {
      spec->tables[i].push_back(sizes[i]);
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<DynamicModel> DynamicProblemOfModel(
    const ShapeParameters& open, const RecordsAtShapes& records_at) {
  const absl::StatusOr<DynamicProblem> values = ValuesOf(open);
  if (!values.ok()) return values.status();
  Sampler sampler(open, *values, records_at);
  for (const ParameterValues& each : values->SampleValues(kSpreadSamples)) {
    if (absl::Status s = sampler.Take(each); !s.ok()) return s;
  }
  absl::Status status = TakeLattice(open, 1, &sampler);
  if (status.ok()) status = TakeRandom(open, &sampler);
  if (!status.ok()) return status;
  std::vector<size_t> records(sampler.common().records.size());
  for (size_t i = 0; i < records.size(); ++i) records[i] = i;
  std::vector<absl::optional<std::string>> texts =
      FitSizes(open.parameters, sampler.Samples(IsEverything), records,
               std::vector<ScaledParameter>(open.parameters.size()));
  if (absl::c_linear_search(texts, absl::nullopt)) {
    status = FitQuotients(open, &sampler, &texts);
    if (!status.ok()) return status;
  }
  DynamicModel model;
  model.spec.problem = sampler.common();
  model.spec.problem.place_first.clear();
  const auto unfit = absl::c_find(texts, absl::nullopt);
  if (unfit != texts.end()) {
    status = UseScenarios(*values, &sampler, &model.spec);
    if (!status.ok()) return status;
    model.note =
        absl::StrCat(RecordText(model.spec.problem,
                                static_cast<size_t>(unfit - texts.begin())),
                     ": no expression fits its size; planned for ",
                     model.spec.scenarios.size(), " scenarios");
    return model;
  }
  model.spec.parameters = open.parameters;
  model.spec.where = open.where;
  for (absl::optional<std::string>& text : texts) {
    model.spec.sizes.push_back(*std::move(text));
  }
  const absl::optional<size_t> all = values->CountValues();
  model.note =
      absl::StrCat("sizes fitted and tested at ", sampler.count(), " values",
                   all ? absl::StrCat(", of ", *all, " in the ranges") : "");
  return model;
}

}  // namespace stowage::harness
