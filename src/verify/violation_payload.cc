// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

#include "src/base/status_payload.h"
#include "stowage/base/optional.h"
#include "stowage/base/status.h"
#include "stowage/base/string_view.h"
#include "stowage/verify.h"

namespace stowage {
namespace {

constexpr string_view kViolation = "stowage/violation";

// All fields of a violation except its kind, in the order of the payload.
constexpr size_t Violation::*kFields[] = {
    &Violation::first_tensor, &Violation::second_tensor,
    &Violation::task,         &Violation::begin,
    &Violation::end,          &Violation::object,
    &Violation::hole,         &Violation::pool,
    &Violation::second_task,  &Violation::third_task,
    &Violation::expected,     &Violation::found};
static_assert(sizeof(Violation) == (1 + std::size(kFields)) * sizeof(size_t),
              "the payload lacks a field");

}  // namespace

Status WithViolation(Status status, const Violation& violation) {
  std::vector<size_t> numbers = {static_cast<size_t>(violation.kind)};
  for (const auto field : kFields) numbers.push_back(violation.*field);
  return WithNumbers(std::move(status), kViolation, numbers);
}

optional<Violation> ViolationOf(const Status& status) {
  const std::vector<size_t> numbers = NumbersOf(status, kViolation);
  constexpr auto kLast = Violation::Kind::kSharedInPart;
  if (numbers.size() != 1 + std::size(kFields) ||
      numbers[0] > static_cast<size_t>(kLast)) {
    return nullopt;
  }
  Violation violation;
  violation.kind = static_cast<Violation::Kind>(numbers[0]);
  for (size_t i = 0; i < std::size(kFields); ++i) {
    violation.*kFields[i] = numbers[1 + i];
  }
  return violation;
}

}  // namespace stowage
