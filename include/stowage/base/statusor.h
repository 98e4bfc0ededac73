// SPDX-License-Identifier: Apache-2.0
// A StatusOr holds either a result or the error that explains why there is no
// result. The type is absl::StatusOr in a build with abseil (config.h), and a
// type of this library with the same functions otherwise. For a result that may
// be missing without an error, use optional (optional.h).
//
//   const StatusOr<Problem> problem = Problem::Create(spec);
//   if (!problem.ok()) return problem.status();
//   Plan(*problem);
#ifndef STOWAGE_BASE_STATUSOR_H_
#define STOWAGE_BASE_STATUSOR_H_

#include "stowage/base/config.h"
#include "stowage/base/status.h"

#if STOWAGE_WITH_ABSEIL

#include "absl/status/statusor.h"

namespace stowage {

using absl::StatusOr;

}  // namespace stowage

#else

#include <type_traits>
#include <utility>
#include <variant>

#include "stowage/base/abi_tag.h"

namespace stowage {
inline namespace STOWAGE_STD_ABI v1_std {

template <typename T>
class StatusOr;

namespace internal_statusor {

// Prints the status to standard error and aborts the program.
[[noreturn]] void EndForMissingValue(const Status& status);
// Returns `status`, or an internal error if it is OK.
Status ErrorOf(Status status);

template <typename T>
struct IsStatusOr : std::false_type {};
template <typename T>
struct IsStatusOr<StatusOr<T>> : std::true_type {};

template <typename T, typename U>
constexpr bool kIsValue = !IsStatusOr<std::decay_t<U>>::value &&
                          !std::is_same_v<std::decay_t<U>, Status> &&
                          !std::is_same_v<std::decay_t<U>, std::in_place_t> &&
                          std::is_constructible_v<T, U&&>;

}  // namespace internal_statusor

// Holds a value of type T if ok(), and an error otherwise. Reading the value if
// !ok() is a bug of the caller and aborts the program.
template <typename T>
class [[nodiscard]] StatusOr {
 public:
  using value_type = T;

  StatusOr() : content_(UnknownError("")) {}
  // Holds an error. Passing an OK status is a bug of the caller, and creates an
  // internal error.
  StatusOr(const Status& status)  // NOLINT(google-explicit-constructor)
      : content_(internal_statusor::ErrorOf(status)) {}
  StatusOr(Status&& status)  // NOLINT(google-explicit-constructor)
      : content_(internal_statusor::ErrorOf(std::move(status))) {}

  // Holds a value. The constructor is explicit if U does not convert to T
  // implicitly.
  template <typename U = T,
            std::enable_if_t<internal_statusor::kIsValue<T, U> &&
                                 std::is_convertible_v<U&&, T>,
                             int> = 0>
  StatusOr(U&& value)  // NOLINT(google-explicit-constructor)
      : content_(std::in_place_index<1>, std::forward<U>(value)) {}
  template <typename U = T,
            std::enable_if_t<internal_statusor::kIsValue<T, U> &&
                                 !std::is_convertible_v<U&&, T>,
                             int> = 0>
  explicit StatusOr(U&& value)
      : content_(std::in_place_index<1>, std::forward<U>(value)) {}
  template <typename... Args>
  explicit StatusOr(std::in_place_t /*in_place*/, Args&&... args)
      : content_(std::in_place_index<1>, std::forward<Args>(args)...) {}

  // Takes over the value or the error of a StatusOr with a different value
  // type.
  template <typename U, std::enable_if_t<!std::is_same_v<T, U> &&
                                             std::is_convertible_v<U&&, T>,
                                         int> = 0>
  StatusOr(StatusOr<U>&& other)  // NOLINT(google-explicit-constructor)
      : StatusOr() {
    if (other.ok()) {
      content_.template emplace<1>(*std::move(other));
    } else {
      content_.template emplace<0>(std::move(other).status());
    }
  }
  template <typename U, std::enable_if_t<!std::is_same_v<T, U> &&
                                             std::is_convertible_v<const U&, T>,
                                         int> = 0>
  StatusOr(const StatusOr<U>& other)  // NOLINT(google-explicit-constructor)
      : StatusOr() {
    if (other.ok()) {
      content_.template emplace<1>(*other);
    } else {
      content_.template emplace<0>(other.status());
    }
  }

  bool ok() const { return content_.index() == 1; }
  // Returns the error, or OK if there is a value. Returns an internal error if
  // the value was lost, which happens if an exception is thrown while a new
  // value replaces it.
  Status status() const {
    if (ok()) return Status();
    const Status* const error = std::get_if<0>(&content_);
    return error != nullptr ? *error : InternalError("the value was lost");
  }

  // Return the value. Abort the program if there is no value.
  const T& operator*() const& { return Get(); }
  T& operator*() & { return Get(); }
  const T&& operator*() const&& { return std::move(Get()); }
  T&& operator*() && { return std::move(Get()); }
  const T* operator->() const { return &Get(); }
  T* operator->() { return &Get(); }
  const T& value() const& { return Get(); }
  T& value() & { return Get(); }
  const T&& value() const&& { return std::move(Get()); }
  T&& value() && { return std::move(Get()); }

  // Return the value, or `otherwise` if there is no value.
  template <typename U>
  T value_or(U&& otherwise) const& {
    return ok() ? Get() : static_cast<T>(std::forward<U>(otherwise));
  }
  template <typename U>
  T value_or(U&& otherwise) && {
    return ok() ? std::move(Get()) : static_cast<T>(std::forward<U>(otherwise));
  }

  // Replaces the value or the error by a value that is constructed from the
  // arguments.
  template <typename... Args>
  T& emplace(Args&&... args) {
    return content_.template emplace<1>(std::forward<Args>(args)...);
  }

  // Does nothing. Call it to show that an error is ignored on purpose.
  void IgnoreError() const {}

 private:
  const T& Get() const {
    const T* const value = std::get_if<1>(&content_);
    if (value == nullptr) internal_statusor::EndForMissingValue(status());
    return *value;
  }
  T& Get() { return const_cast<T&>(std::as_const(*this).Get()); }

  std::variant<Status, T> content_;
};

}  // namespace v1_std
}  // namespace stowage

#endif  // STOWAGE_WITH_ABSEIL

#endif  // STOWAGE_BASE_STATUSOR_H_
