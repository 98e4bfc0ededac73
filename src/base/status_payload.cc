// SPDX-License-Identifier: Apache-2.0
#include "src/base/status_payload.h"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "stowage/base/config.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/base/string_view.h"

#if STOWAGE_WITH_ABSEIL
#include "absl/strings/cord.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/types/optional.h"
#endif

namespace stowage {

#if STOWAGE_WITH_ABSEIL

Status WithNumbers(Status status, string_view name,
                   Span<const size_t> numbers) {
  return WithText(std::move(status), name, absl::StrJoin(numbers, ","));
}

std::vector<size_t> NumbersOf(const Status& status, string_view name) {
  const std::string text = TextOf(status, name);
  std::vector<size_t> numbers;
  for (const string_view part : absl::StrSplit(text, ',', absl::SkipEmpty())) {
    size_t number = 0;
    if (absl::SimpleAtoi(part, &number)) numbers.push_back(number);
  }
  return numbers;
}

Status WithText(Status status, string_view name, string_view text) {
  status.SetPayload(name, absl::Cord(text));
  return status;
}

std::string TextOf(const Status& status, string_view name) {
  const absl::optional<absl::Cord> payload = status.GetPayload(name);
  return payload ? std::string(*payload) : "";
}

Status WithPayloadsOf(const Status& status, StatusCode code,
                      string_view message) {
  Status result(code, message);
  status.ForEachPayload([&](string_view name, const absl::Cord& payload) {
    result.SetPayload(name, payload);
  });
  return result;
}

#else

Status WithNumbers(Status status, string_view name,
                   Span<const size_t> numbers) {
  status.SetPayload(
      {std::string(name), {numbers.begin(), numbers.end()}, /*text=*/""});
  return status;
}

std::vector<size_t> NumbersOf(const Status& status, string_view name) {
  const StatusPayload* const payload = status.GetPayload(name);
  if (payload == nullptr) return {};
  return {payload->numbers.begin(), payload->numbers.end()};
}

Status WithText(Status status, string_view name, string_view text) {
  status.SetPayload({std::string(name), /*numbers=*/{}, std::string(text)});
  return status;
}

std::string TextOf(const Status& status, string_view name) {
  const StatusPayload* const payload = status.GetPayload(name);
  return payload == nullptr ? "" : payload->text;
}

Status WithPayloadsOf(const Status& status, StatusCode code,
                      string_view message) {
  Status result(code, message);
  result.CopyPayloads(status);
  return result;
}

#endif

}  // namespace stowage
