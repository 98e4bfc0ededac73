// SPDX-License-Identifier: Apache-2.0
// Defines the functions of generators.h, which includes this file; include
// generators.h instead. Every value is generated as a list of small tuples that
// is mapped to records, because RapidCheck can then shrink the value without
// custom code.
#ifndef STOWAGE_TESTING_GENERATORS_INL_H_
#define STOWAGE_TESTING_GENERATORS_INL_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <tuple>
#include <utility>
#include <vector>

#include "rapidcheck.h"
#include "stowage/problem.h"
#include "stowage/tensor_size.h"
#include "stowage/testing/families.h"
#include "stowage/testing/generators.h"
#include "stowage/testing/graphs.h"
#include "stowage/testing/models.h"
#include "stowage/testing/random_problems.h"
#include "stowage/testing/specs.h"
#include "stowage/usage_record.h"

namespace stowage {

// Prints a counterexample for RapidCheck.
template <typename TensorSizeT>
void showValue(const TensorUsageRecord<TensorSizeT>& record, std::ostream& os) {
  os << "{size " << SizeToString(record.tensor_size) << ", tasks ["
     << record.first_task << ", " << record.last_task << "]}";
}

inline void showValue(const ProblemSpec& spec, std::ostream& os) {
  rc::show(spec.records, os);
  if (spec.alignments.empty()) return;
  os << " aligned to ";
  rc::show(spec.alignments, os);
}

namespace testing {

inline void showValue(const GraphInstance& graph, std::ostream& os) {
  rc::show(graph.records, os);
  os << " read by ";
  rc::show(graph.dependencies, os);
}

inline void showValue(const ModelInstance& model, std::ostream& os) {
  os << model.text;
}

namespace detail {

using Numbers = std::tuple<uint64_t, uint64_t, uint64_t, uint64_t, uint64_t>;

inline Sample SampleOf(const Numbers& numbers) {
  const auto& [size, gap, life, kind, alignment] = numbers;
  return {size, gap, life, kind, alignment};
}

// Generates a number from 0 to limit - 1. The range does not depend on
// RapidCheck's size parameter, which determines only the number of samples.
inline rc::Gen<uint64_t> Below(uint64_t limit) {
  return rc::gen::resize(rc::kNominalSize,
                         rc::gen::inRange<uint64_t>(0, limit));
}

inline rc::Gen<std::vector<Sample>> Samples(const Sample& limits) {
  return rc::gen::container<std::vector<Sample>>(rc::gen::map(
      rc::gen::tuple(Below(limits.size), Below(limits.gap), Below(limits.life),
                     Below(limits.kind), Below(limits.alignment)),
      &SampleOf));
}

// Generates an instance of one of the families for which `is_wanted` returns
// true. All of these families are equally likely. An instance shrinks within
// its family.
template <typename IsWanted>
rc::Gen<ProblemSpec> InstancesWhere(const Parameters& parameters,
                                    IsWanted is_wanted) {
  std::vector<Family> families;
  for (const FamilyInfo& info : AllFamilies()) {
    if (is_wanted(info)) families.push_back(info.family);
  }
  return rc::gen::mapcat(rc::gen::noShrink(Below(families.size())),
                         [families, parameters](uint64_t i) {
                           return FamilyInstances(families[i], parameters);
                         });
}

inline rc::Gen<ByteRecords> RecordsOf(rc::Gen<ProblemSpec> instances) {
  return rc::gen::map(std::move(instances),
                      [](ProblemSpec&& spec) { return spec.records; });
}

template <typename TensorSizeT>
struct Extent;

template <>
struct Extent<uint2> {
  static uint2 From(const std::array<uint32_t, 4>& c) { return {c[0], c[1]}; }
};

template <>
struct Extent<uint3> {
  static uint3 From(const std::array<uint32_t, 4>& c) {
    return {c[0], c[1], c[2]};
  }
};

template <>
struct Extent<BHWC> {
  static BHWC From(const std::array<uint32_t, 4>& c) {
    return {static_cast<int32_t>(c[0]), static_cast<int32_t>(c[1]),
            static_cast<int32_t>(c[2]), static_cast<int32_t>(c[3])};
  }
};

}  // namespace detail

inline rc::Gen<ProblemSpec> FamilyInstances(Family family,
                                            const Parameters& parameters) {
  return rc::gen::map(detail::Samples(SampleLimits(family, parameters)),
                      [family, parameters](const std::vector<Sample>& samples) {
                        return FromSamples(family, samples, parameters);
                      });
}

inline rc::Gen<ByteRecords> FamilyRecords(Family family,
                                          const Parameters& parameters) {
  return detail::RecordsOf(FamilyInstances(family, parameters));
}

inline rc::Gen<ProblemSpec> AnyInstances(const Parameters& parameters) {
  return detail::InstancesWhere(
      parameters, [](const FamilyInfo& info) { return info.is_plannable; });
}

inline rc::Gen<ByteRecords> AnyRecords(const Parameters& parameters) {
  return detail::RecordsOf(AnyInstances(parameters));
}

inline rc::Gen<ByteRecords> AnySortedRecords(const Parameters& parameters) {
  return detail::RecordsOf(
      detail::InstancesWhere(parameters, [](const FamilyInfo& info) {
        return info.is_plannable && info.in_execution_order;
      }));
}

inline rc::Gen<ProblemSpec> AnyProblems(const ProblemParameters& parameters) {
  return rc::gen::map(detail::Samples(ProblemSampleLimits()),
                      [parameters](const std::vector<Sample>& samples) {
                        return ProblemFromSamples(samples, parameters);
                      });
}

inline rc::Gen<ByteRecords> ChainRecords() {
  return FamilyRecords(Family::kChains);
}
inline rc::Gen<ByteRecords> BranchyRecords() {
  return FamilyRecords(Family::kBranches);
}
inline rc::Gen<ByteRecords> LongLivedRecords() {
  return FamilyRecords(Family::kLongLived);
}
inline rc::Gen<ByteRecords> TiedRecords() {
  return FamilyRecords(Family::kFewSizes);
}
inline rc::Gen<ByteRecords> ZeroSizedRecords() {
  return FamilyRecords(Family::kZeroSizes);
}
inline rc::Gen<ByteRecords> HugeRecords() {
  return FamilyRecords(Family::kHugeSizes);
}
inline rc::Gen<ByteRecords> GappyRecords() {
  return FamilyRecords(Family::kFarTasks);
}
inline rc::Gen<ByteRecords> UnsortedRecords() {
  return FamilyRecords(Family::kUnsorted);
}
inline rc::Gen<ByteRecords> NetworkRecords() {
  return FamilyRecords(Family::kNetworks);
}

inline rc::Gen<GraphInstance> AnyGraphs(const Parameters& parameters) {
  return rc::gen::map(detail::Samples(GraphSampleLimits(parameters)),
                      [parameters](const std::vector<Sample>& samples) {
                        return GraphFromSamples(samples, parameters);
                      });
}

inline rc::Gen<ModelInstance> AnyModels(const Parameters& parameters) {
  return rc::gen::map(detail::Samples(ModelSampleLimits(parameters)),
                      [parameters](const std::vector<Sample>& samples) {
                        return ModelFromSamples(samples, parameters);
                      });
}

template <typename TensorSizeT>
rc::Gen<std::vector<TensorUsageRecord<TensorSizeT>>> ExtentRecords() {
  const rc::Gen<TensorSizeT> extent =
      rc::gen::map(rc::gen::container<std::array<uint32_t, 4>>(
                       rc::gen::inRange<uint32_t>(0, 9)),
                   &detail::Extent<TensorSizeT>::From);
  // The numbers of a record: its size, the number of tasks since the previous
  // record, and the number of tasks in its lifetime after the first task.
  using Steps = std::vector<std::tuple<TensorSizeT, TaskId, TaskId>>;
  return rc::gen::map(rc::gen::container<Steps>(rc::gen::tuple(
                          extent, detail::Below(3), detail::Below(5))),
                      [](const Steps& steps) {
                        std::vector<TensorUsageRecord<TensorSizeT>> records;
                        TaskId first = 0;
                        for (const auto& [size, gap, life] : steps) {
                          first += gap;
                          records.emplace_back(size, first, first + life);
                        }
                        return records;
                      });
}

inline rc::Gen<std::vector<size_t>> AlignmentLists(size_t count) {
  return rc::gen::container<std::vector<size_t>>(
      count, rc::gen::map(rc::gen::inRange<int>(0, 13),
                          [](int exponent) { return size_t{1} << exponent; }));
}

}  // namespace testing
}  // namespace stowage

#endif  // STOWAGE_TESTING_GENERATORS_INL_H_
