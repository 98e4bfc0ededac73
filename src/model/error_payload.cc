// SPDX-License-Identifier: Apache-2.0
#include "stowage/error_payload.h"

#include <string>
#include <utility>
#include <vector>

#include "src/base/status_payload.h"
#include "src/base/str_cat.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/base/string_view.h"

namespace stowage {
namespace {

constexpr string_view kRecords = "stowage/records";
constexpr string_view kOperator = "stowage/operator";
constexpr string_view kTensor = "stowage/tensor";
constexpr string_view kDelegate = "stowage/delegate";
constexpr string_view kFeatures = "stowage/features";

optional<size_t> NumberOf(const Status& status, string_view url) {
  const std::vector<size_t> numbers = NumbersOf(status, url);
  if (numbers.empty()) return nullopt;
  return numbers.front();
}

}  // namespace

Status WithRecords(Status status, Span<const size_t> records) {
  return WithNumbers(std::move(status), kRecords, records);
}

std::vector<size_t> RecordsOf(const Status& status) {
  return NumbersOf(status, kRecords);
}

Status WithOperator(Status status, size_t op) {
  return WithNumbers(std::move(status), kOperator, {op});
}

optional<size_t> OperatorOf(const Status& status) {
  return NumberOf(status, kOperator);
}

Status WithTensor(Status status, size_t tensor) {
  return WithNumbers(std::move(status), kTensor, {tensor});
}

optional<size_t> TensorOf(const Status& status) {
  return NumberOf(status, kTensor);
}

Status WithDelegate(Status status, string_view delegate) {
  return WithText(std::move(status), kDelegate, delegate);
}

std::string DelegateOf(const Status& status) {
  return TextOf(status, kDelegate);
}

Status WithMessage(const Status& status, string_view message) {
  return WithPayloadsOf(status, status.code(), message);
}

Status AtPlace(string_view place, const Status& status) {
  return WithMessage(status, StrCat(place, ": ", status.message()));
}

Status WithFeatures(Status status, FeatureSet features) {
  std::vector<size_t> numbers;
  for (const Feature feature : kAllFeatures) {
    if (features.Has(feature)) numbers.push_back(static_cast<size_t>(feature));
  }
  return WithNumbers(std::move(status), kFeatures, numbers);
}

FeatureSet FeaturesOf(const Status& status) {
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
