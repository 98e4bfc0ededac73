// SPDX-License-Identifier: Apache-2.0
// Implements the boundary between C and C++. Every function of stowage/c runs
// its body in AtBorder, which catches every exception and converts the
// resulting status to a code and a stowage_error.
#ifndef STOWAGE_SRC_C_BORDER_H_
#define STOWAGE_SRC_C_BORDER_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "src/base/str_cat.h"
#include "stowage/base/status.h"
#include "stowage/base/string_view.h"
#include "stowage/c/error.h"

namespace stowage::c_api {

static_assert(std::is_same_v<size_t, uint64_t>,
              "arrays of size_t go out as arrays of uint64_t");

// The largest struct_size that is accepted. No version of a struct will ever be
// larger than this, so a larger value means that the caller has not set
// struct_size.
constexpr uint32_t kMaxStructBytes = 4096;

// The maximum number of entries of an array.
constexpr size_t kMaxCount = 0xFFFFFFFF;

// Returns whether struct_size permits writing the whole struct. Every struct
// has only one version so far, so the minimum is sizeof(T).
template <typename T>
bool IsSized(const T* versioned) {
  return versioned->struct_size >= sizeof(T) &&
         versioned->struct_size <= kMaxStructBytes;
}

// Checks a versioned struct before it is written. `name` is the name of the
// parameter in messages. Error: InvalidArgument.
template <typename T>
Status CheckSized(const T* versioned, string_view name) {
  if (versioned == nullptr) {
    return InvalidArgumentError(StrCat(name, ": null; expected a pointer"));
  }
  if (IsSized(versioned)) return OkStatus();
  return InvalidArgumentError(StrCat(
      name, "->struct_size: ", versioned->struct_size, "; expected ", sizeof(T),
      ", the size of the struct, or that of a later version"));
}

// Writes `value` to a versioned struct. Requires that CheckSized accepts the
// struct. Keeps the struct_size that the caller has set. If the caller's struct
// is of a newer version, sets the fields that this library does not know to 0.
template <typename T>
void WriteSized(T value, T* versioned) {
  const uint32_t size = versioned->struct_size;
  value.struct_size = size;
  std::memcpy(versioned, &value, sizeof(T));
  std::memset(reinterpret_cast<char*>(versioned) + sizeof(T), 0,
              size - sizeof(T));
}

// Checks a versioned struct before it is read. Errors: InvalidArgument;
// Unimplemented if a field that this library does not know is nonzero.
template <typename T>
Status CheckGiven(const T* versioned, string_view name) {
  if (Status s = CheckSized(versioned, name); !s.ok()) return s;
  const auto* const bytes = reinterpret_cast<const unsigned char*>(versioned);
  for (size_t i = sizeof(T); i < versioned->struct_size; ++i) {
    if (bytes[i] == 0) continue;
    return UnimplementedError(
        StrCat(name, ": byte ", i,
               " is set, in a field that this library does not "
               "know; expected 0, or a later version of the library"));
  }
  return OkStatus();
}

// Checks a pointer that must not be null. Error: InvalidArgument.
inline Status CheckPointer(const void* pointer, string_view name) {
  if (pointer != nullptr) return OkStatus();
  return InvalidArgumentError(StrCat(name, ": null; expected a pointer"));
}

// Checks an array before it is read. Errors: OutOfRange if `count` is too
// large; InvalidArgument if the array is null and `count` is not 0.
Status CheckArray(const void* array, size_t count, string_view name);

// Checks that `flag` is 0 or 1. Error: InvalidArgument.
Status CheckFlag(uint32_t flag, string_view name);

// Returns whether `error` is null or points to a struct that can be filled.
inline bool IsUsable(const stowage_error* error) {
  return error == nullptr || IsSized(error);
}

// Fills `error` unless it is null, and returns the code. Allocates nothing.
stowage_code Report(stowage_code code, string_view message,
                    stowage_error* error);
// Reports an error about one record or about a pair of records. Pass
// STOWAGE_NONE for each index that does not apply.
stowage_code ReportRecord(stowage_code code, string_view message,
                          uint64_t record, uint64_t other_record,
                          stowage_error* error);
stowage_code Report(const Status& status, stowage_error* error);

// Copies `text` into a buffer of `size` bytes and terminates it with a 0. If
// the text is too long, truncates it between two characters. Replaces bytes
// that are not valid UTF-8 by '?'. Requires size > 0.
void CopyText(string_view text, char* buffer, size_t size);

// Runs `body` and reports the status that it returns, or the exception that it
// throws.
template <typename Body>
stowage_code AtBorder(stowage_error* error, const Body& body) {
  if (!IsUsable(error)) return STOWAGE_INVALID_ARGUMENT;
#ifdef __cpp_exceptions
  try {
    return Report(body(), error);
  } catch (const std::bad_alloc&) {
    return Report(STOWAGE_RESOURCE_EXHAUSTED, "too little memory", error);
  } catch (const std::length_error&) {
    return Report(STOWAGE_RESOURCE_EXHAUSTED, "too little memory", error);
  } catch (const std::exception& exception) {
    return Report(STOWAGE_INTERNAL, exception.what(), error);
  } catch (...) {
    return Report(STOWAGE_INTERNAL, "unknown exception", error);
  }
#else
  return Report(body(), error);
#endif
}

// Creates a handle. Returns null if memory runs out or the constructor throws.
template <typename T, typename... Args>
T* NewOrNull(const Args&... args) {
#ifdef __cpp_exceptions
  try {
    return new T(args...);
  } catch (...) {
    return nullptr;
  }
#else
  return new T(args...);
#endif
}

// Calls a function that was provided by the caller. If the function throws an
// exception, sets *thrown to a message about the exception.
template <typename Callback>
void CallBack(const Callback& callback, std::string* thrown) {
#ifdef __cpp_exceptions
  try {
    callback();
  } catch (const std::exception& exception) {
    *thrown = StrCat("exception of a callback: ", exception.what());
  } catch (...) {
    *thrown = "exception of a callback";
  }
#else
  callback();
  thrown->clear();
#endif
}

}  // namespace stowage::c_api

#endif  // STOWAGE_SRC_C_BORDER_H_
