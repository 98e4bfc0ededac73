// SPDX-License-Identifier: Apache-2.0
#include "stowage/error_payload.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/cord.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/model/number_payload.h"

namespace stowage {
namespace {

constexpr absl::string_view kRecords = "stowage/records";
constexpr absl::string_view kOperator = "stowage/operator";
constexpr absl::string_view kTensor = "stowage/tensor";
constexpr absl::string_view kDelegate = "stowage/delegate";
constexpr absl::string_view kFeatures = "stowage/features";

absl::optional<size_t> NumberOf(const absl::Status& status,
                                absl::string_view url) {
  const std::vector<size_t> numbers = NumbersOf(status, url);
  if (numbers.empty()) return absl::nullopt;
  return numbers.front();
}

}  // namespace

absl::Status WithNumbers(absl::Status status, absl::string_view url,
                         absl::Span<const size_t> numbers) {
  status.SetPayload(url, absl::Cord(absl::StrJoin(numbers, ",")));
  return status;
}

std::vector<size_t> NumbersOf(const absl::Status& status,
                              absl::string_view url) {
  const absl::optional<absl::Cord> payload = status.GetPayload(url);
  std::vector<size_t> numbers;
  if (!payload) return numbers;
  const std::string text(*payload);
  for (const absl::string_view part :
       absl::StrSplit(text, ',', absl::SkipEmpty())) {
    size_t number = 0;
    if (absl::SimpleAtoi(part, &number)) numbers.push_back(number);
  }
  return numbers;
}

absl::Status WithRecords(absl::Status status,
                         absl::Span<const size_t> records) {
  return WithNumbers(std::move(status), kRecords, records);
}

std::vector<size_t> RecordsOf(const absl::Status& status) {
  return NumbersOf(status, kRecords);
}

absl::Status WithOperator(absl::Status status, size_t op) {
  return WithNumbers(std::move(status), kOperator, {op});
}

absl::optional<size_t> OperatorOf(const absl::Status& status) {
  return NumberOf(status, kOperator);
}

absl::Status WithTensor(absl::Status status, size_t tensor) {
  return WithNumbers(std::move(status), kTensor, {tensor});
}

absl::optional<size_t> TensorOf(const absl::Status& status) {
  return NumberOf(status, kTensor);
}

absl::Status WithDelegate(absl::Status status, absl::string_view name) {
  status.SetPayload(kDelegate, absl::Cord(name));
  return status;
}

std::string DelegateOf(const absl::Status& status) {
  const absl::optional<absl::Cord> payload = status.GetPayload(kDelegate);
  return payload ? std::string(*payload) : "";
}

absl::Status WithMessage(const absl::Status& status,
                         absl::string_view message) {
  absl::Status result(status.code(), message);
  status.ForEachPayload(
      [&result](absl::string_view url, const absl::Cord& payload) {
        result.SetPayload(url, payload);
      });
  return result;
}

absl::Status AtPlace(absl::string_view place, const absl::Status& status) {
  return WithMessage(status, absl::StrCat(place, ": ", status.message()));
}

absl::Status WithFeatures(absl::Status status, FeatureSet features) {
  std::vector<size_t> numbers;
  for (const Feature feature : kAllFeatures) {
    if (features.Has(feature)) numbers.push_back(static_cast<size_t>(feature));
  }
  return WithNumbers(std::move(status), kFeatures, numbers);
}

FeatureSet FeaturesOf(const absl::Status& status) {
  const std::vector<size_t> numbers = NumbersOf(status, kFeatures);
  FeatureSet features;
  for (const Feature feature : kAllFeatures) {
    for (const size_t number : numbers) {
      if (number == static_cast<size_t>(feature)) features.Add(feature);
    }
  }
  return features;
}

}  // namespace stowage
