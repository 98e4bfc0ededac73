// SPDX-License-Identifier: Apache-2.0
// Tests the types of include/stowage/base with and without abseil. This file is
// compiled once for each choice (config.h), and every case must hold for both.
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/cord.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "src/base/status_payload.h"
#include "stowage/base/absl_status.h"
#include "stowage/base/config.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"

namespace stowage {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

size_t Sum(Span<const size_t> numbers) {
  size_t sum = 0;
  for (const size_t number : numbers) sum += number;
  return sum;
}

TEST(BaseSpan, ViewsEveryKindOfList) {
  const std::vector<size_t> vector = {1, 2, 3};
  const size_t array[] = {4, 5};
  std::vector<size_t> other = {6};
  EXPECT_EQ(Sum(vector), 6u);
  EXPECT_EQ(Sum(array), 9u);
  EXPECT_EQ(Sum(other), 6u);
  EXPECT_EQ(Sum(MakeSpan(other)), 6u);
  EXPECT_EQ(Sum({7, 8}), 15u);
  EXPECT_EQ(Sum({}), 0u);
  EXPECT_EQ(Sum(MakeConstSpan(vector.data(), 2)), 3u);
}

TEST(BaseSpan, ChangesElementsOnlyWhereThatIsSaid) {
  std::vector<int> numbers = {1, 2, 3};
  const Span<int> span = MakeSpan(numbers);
  span[1] = 7;
  span.back() = 9;
  EXPECT_THAT(numbers, ElementsAre(1, 7, 9));
  // A span of mutable elements can be created only explicitly.
  EXPECT_FALSE((std::is_convertible_v<std::vector<int>&, Span<int>>));
  EXPECT_TRUE((std::is_constructible_v<Span<int>, std::vector<int>&>));
  EXPECT_FALSE((std::is_constructible_v<Span<int>, const std::vector<int>&>));
  EXPECT_FALSE((std::is_constructible_v<Span<int>, Span<const int>>));
}

TEST(BaseSpan, HasParts) {
  const std::vector<size_t> numbers = {1, 2, 3, 4};
  const Span<const size_t> span = numbers;
  EXPECT_THAT(span.subspan(1), ElementsAre(2, 3, 4));
  EXPECT_THAT(span.subspan(1, 2), ElementsAre(2, 3));
  EXPECT_THAT(span.subspan(4), IsEmpty());
  EXPECT_THAT(span.first(1), ElementsAre(1));
  EXPECT_THAT(span.last(2), ElementsAre(3, 4));
  EXPECT_EQ(std::vector<size_t>(span.rbegin(), span.rend()),
            (std::vector<size_t>{4, 3, 2, 1}));
  Span<const size_t> rest = span;
  rest.remove_prefix(1);
  rest.remove_suffix(2);
  EXPECT_THAT(rest, ElementsAre(2));
}

TEST(BaseSpan, IsComparedByItsElements) {
  const std::vector<int> a = {1, 2};
  const std::vector<int> b = {1, 2};
  const std::vector<int> c = {1, 3};
  EXPECT_TRUE(MakeConstSpan(a) == MakeConstSpan(b));
  EXPECT_TRUE(MakeConstSpan(a) != MakeConstSpan(c));
  EXPECT_TRUE(MakeConstSpan(a) < MakeConstSpan(c));
  EXPECT_TRUE(MakeConstSpan(a).first(1) < MakeConstSpan(a));
  EXPECT_FALSE(MakeConstSpan(a) < MakeConstSpan(b));
}

TEST(BaseStatus, IsOkOrAnErrorWithCodeAndMessage) {
  EXPECT_TRUE(OkStatus().ok());
  EXPECT_EQ(OkStatus().message(), "");
  EXPECT_EQ(OkStatus(), Status());
  EXPECT_EQ(Status(StatusCode::kOk, "dropped"), OkStatus());
  const Status error = NotFoundError("no such file");
  EXPECT_FALSE(error.ok());
  EXPECT_EQ(error.code(), StatusCode::kNotFound);
  EXPECT_EQ(error.message(), "no such file");
  EXPECT_EQ(error.ToString(), "NOT_FOUND: no such file");
  EXPECT_EQ(OkStatus().ToString(), "OK");
  EXPECT_EQ(error, NotFoundError("no such file"));
  EXPECT_NE(error, NotFoundError("no such folder"));
  EXPECT_NE(error, InternalError("no such file"));
  EXPECT_NE(error, OkStatus());
  std::ostringstream printed;
  printed << error << " " << OkStatus() << " " << error.code();
  EXPECT_EQ(printed.str(), "NOT_FOUND: no such file OK NOT_FOUND");
}

TEST(BaseStatus, IsMadeWithEachCode) {
  const struct {
    Status (*make)(string_view message);
    StatusCode code;
    int number;
    const char* name;
  } kCases[] = {
      {CancelledError, StatusCode::kCancelled, 1, "CANCELLED"},
      {UnknownError, StatusCode::kUnknown, 2, "UNKNOWN"},
      {InvalidArgumentError, StatusCode::kInvalidArgument, 3,
       "INVALID_ARGUMENT"},
      {NotFoundError, StatusCode::kNotFound, 5, "NOT_FOUND"},
      {AlreadyExistsError, StatusCode::kAlreadyExists, 6, "ALREADY_EXISTS"},
      {PermissionDeniedError, StatusCode::kPermissionDenied, 7,
       "PERMISSION_DENIED"},
      {ResourceExhaustedError, StatusCode::kResourceExhausted, 8,
       "RESOURCE_EXHAUSTED"},
      {FailedPreconditionError, StatusCode::kFailedPrecondition, 9,
       "FAILED_PRECONDITION"},
      {AbortedError, StatusCode::kAborted, 10, "ABORTED"},
      {OutOfRangeError, StatusCode::kOutOfRange, 11, "OUT_OF_RANGE"},
      {UnimplementedError, StatusCode::kUnimplemented, 12, "UNIMPLEMENTED"},
      {InternalError, StatusCode::kInternal, 13, "INTERNAL"},
      {UnavailableError, StatusCode::kUnavailable, 14, "UNAVAILABLE"},
      {DataLossError, StatusCode::kDataLoss, 15, "DATA_LOSS"}};
  for (const auto& c : kCases) {
    const Status status = c.make("why");
    EXPECT_EQ(status.code(), c.code) << c.name;
    EXPECT_EQ(static_cast<int>(status.code()), c.number) << c.name;
    EXPECT_EQ(StatusCodeToString(status.code()), c.name);
    EXPECT_EQ(status.message(), "why");
  }
  EXPECT_EQ(StatusCodeToString(static_cast<StatusCode>(99)), "");
}

TEST(BaseStatus, CanBeAskedForItsCode) {
  const struct {
    bool (*is)(const Status& status);
    Status status;
  } kCases[] = {{IsCancelled, CancelledError("")},
                {IsFailedPrecondition, FailedPreconditionError("")},
                {IsInternal, InternalError("")},
                {IsInvalidArgument, InvalidArgumentError("")},
                {IsNotFound, NotFoundError("")},
                {IsOutOfRange, OutOfRangeError("")},
                {IsResourceExhausted, ResourceExhaustedError("")},
                {IsUnimplemented, UnimplementedError("")}};
  for (const auto& c : kCases) {
    for (const auto& other : kCases) {
      EXPECT_EQ(c.is(other.status), &c == &other) << other.status;
    }
  }
}

TEST(BaseStatus, OfErrnoHasTheDescriptionOfTheSystem) {
  const struct {
    int error;
    StatusCode code;
  } kCases[] = {{ENOENT, StatusCode::kNotFound},
                {EACCES, StatusCode::kPermissionDenied},
                {EEXIST, StatusCode::kAlreadyExists},
                {ENOSPC, StatusCode::kResourceExhausted},
                {EISDIR, StatusCode::kFailedPrecondition},
                {EIO, StatusCode::kUnknown}};
  for (const auto& c : kCases)
    EXPECT_EQ(ErrnoToStatus(c.error, "").code(), c.code);
  EXPECT_EQ(ErrnoToStatus(ENOENT, "a.csv").message(),
            "a.csv: No such file or directory");
  EXPECT_TRUE(ErrnoToStatus(0, "a.csv").ok());
}

TEST(BaseStatus, CarriesNumbersAndText) {
  const Status plain = InternalError("why");
  const Status status = WithText(
      WithNumbers(WithNumbers(plain, "a", {7, 0}), "b", {}), "c", "a,b\n");
  EXPECT_THAT(NumbersOf(status, "a"), ElementsAre(7, 0));
  EXPECT_THAT(NumbersOf(status, "b"), IsEmpty());
  EXPECT_THAT(NumbersOf(status, "d"), IsEmpty());
  EXPECT_EQ(TextOf(status, "c"), "a,b\n");
  EXPECT_EQ(TextOf(status, "d"), "");
  EXPECT_NE(status, plain);
  EXPECT_THAT(NumbersOf(plain, "a"), IsEmpty()) << "a copy is changed";

  const Status replaced = WithNumbers(status, "a", {1});
  EXPECT_THAT(NumbersOf(replaced, "a"), ElementsAre(1));
  EXPECT_THAT(NumbersOf(status, "a"), ElementsAre(7, 0));

  const Status other =
      WithPayloadsOf(status, StatusCode::kOutOfRange, "otherwise");
  EXPECT_EQ(other.code(), StatusCode::kOutOfRange);
  EXPECT_EQ(other.message(), "otherwise");
  EXPECT_THAT(NumbersOf(other, "a"), ElementsAre(7, 0));
  EXPECT_EQ(TextOf(other, "c"), "a,b\n");

  EXPECT_EQ(WithNumbers(OkStatus(), "a", {7}), OkStatus());
  EXPECT_EQ(WithPayloadsOf(status, StatusCode::kOk, ""), OkStatus());
}

TEST(BaseStatus, IsEqualInWhateverOrderItsPayloadsCame) {
  const Status error = InternalError("");
  EXPECT_EQ(WithNumbers(WithText(error, "a", "x"), "b", {1}),
            WithText(WithNumbers(error, "b", {1}), "a", "x"));
  EXPECT_NE(WithNumbers(error, "b", {1}), WithNumbers(error, "b", {2}));
}

TEST(BaseStatus, IsConvertedToAbseilsAndBack) {
  const Status status =
      WithText(WithNumbers(NotFoundError("why"), "a", {7, 0}), "c", "a,b\n");
  const absl::Status converted = ToAbslStatus(status);
  EXPECT_EQ(converted.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(converted.message(), "why");
  EXPECT_EQ(converted.GetPayload("a"), absl::Cord("7,0"));
  EXPECT_EQ(converted.GetPayload("c"), absl::Cord("a,b\n"));
  const Status back = FromAbslStatus(converted);
  EXPECT_EQ(back.code(), StatusCode::kNotFound);
  EXPECT_EQ(back.message(), "why");
  EXPECT_THAT(NumbersOf(back, "a"), ElementsAre(7, 0));
  EXPECT_THAT(NumbersOf(back, "c"), IsEmpty());
  EXPECT_EQ(TextOf(back, "c"), "a,b\n");
  EXPECT_TRUE(ToAbslStatus(OkStatus()).ok());
  EXPECT_TRUE(FromAbslStatus(absl::OkStatus()).ok());
}

TEST(BaseStatus, KeepsTheTextOfOtherLibraries) {
  absl::Status given = absl::NotFoundError("why");
  given.SetPayload("digits", absl::Cord("007"));
  const Status status = FromAbslStatus(given);
  EXPECT_THAT(NumbersOf(status, "digits"), ElementsAre(7));
  EXPECT_EQ(ToAbslStatus(status), given);
}

TEST(BaseStatus, StaysAnErrorWhenItIsMoved) {
  Status from = NotFoundError("gone");
  const Status to = std::move(from);
  EXPECT_EQ(to, NotFoundError("gone"));
  EXPECT_FALSE(from.ok());  // NOLINT(bugprone-use-after-move)
  StatusOr<int> none = NotFoundError("gone");
  const StatusOr<int> other = std::move(none);
  EXPECT_EQ(other.status(), to);
  EXPECT_FALSE(none.status().ok());  // NOLINT(bugprone-use-after-move)
}

StatusOr<std::unique_ptr<int>> Half(int number) {
  if (number % 2 != 0) return InvalidArgumentError("odd");
  return std::make_unique<int>(number / 2);
}

TEST(BaseStatusOr, IsAValueOrAnError) {
  StatusOr<std::unique_ptr<int>> half = Half(4);
  ASSERT_TRUE(half.ok());
  EXPECT_TRUE(half.status().ok());
  EXPECT_EQ(**half, 2);
  EXPECT_EQ(half->get(), half.value().get());
  const std::unique_ptr<int> moved = *std::move(half);
  EXPECT_EQ(*moved, 2);
  const StatusOr<std::unique_ptr<int>> odd = Half(3);
  EXPECT_FALSE(odd.ok());
  EXPECT_EQ(odd.status(), InvalidArgumentError("odd"));
}

TEST(BaseStatusOr, ConvertsAsItsValueDoes) {
  const StatusOr<std::string> text = "a text";
  EXPECT_EQ(*text, "a text");
  EXPECT_EQ(StatusOr<std::string>(InternalError("x")).value_or("y"), "y");
  EXPECT_EQ(text.value_or("y"), "a text");
  const StatusOr<const char*> from = "b";
  const StatusOr<std::string> to = from;
  EXPECT_EQ(*to, "b");
  StatusOr<std::unique_ptr<const int>> part = Half(4);
  EXPECT_EQ(**part, 2);
  EXPECT_EQ((StatusOr<std::unique_ptr<const int>>(Half(3))).status().message(),
            "odd");
  // An empty optional is a value and not an error.
  const StatusOr<optional<int>> none = nullopt;
  ASSERT_TRUE(none.ok());
  EXPECT_EQ(*none, nullopt);
  EXPECT_FALSE(
      (std::is_convertible_v<std::string_view, StatusOr<std::string>>));
}

TEST(BaseStatusOr, CanBeReplaced) {
  StatusOr<std::vector<int>> list;
  EXPECT_EQ(list.status().code(), StatusCode::kUnknown);
  list = std::vector<int>{1, 2};
  EXPECT_THAT(*list, ElementsAre(1, 2));
  list->push_back(3);
  EXPECT_EQ(list->size(), 3u);
  list = NotFoundError("gone");
  EXPECT_EQ(list.status(), NotFoundError("gone"));
  list.emplace(2, 5);
  EXPECT_THAT(list.value(), ElementsAre(5, 5));
}

struct Throwing {
  explicit Throwing(int number) { throw number; }

  std::string text;
};

TEST(BaseStatusOr, IsAnInternalErrorIfItsValueWasLost) {
  StatusOr<Throwing> lost = NotFoundError("gone");
  EXPECT_THROW(lost.emplace(7), int);
  EXPECT_FALSE(lost.ok());
  EXPECT_FALSE(lost.status().ok());
}

TEST(BaseStatusOrDeathTest, EndsTheProgramWhereThereIsNoValue) {
  const StatusOr<int> none = InternalError("why there is none");
  EXPECT_DEATH((void)*none, "why there is none");
}

}  // namespace
}  // namespace stowage
