// SPDX-License-Identifier: Apache-2.0
// Chapter 1 of stowage.h: error codes, the error struct and the version of the
// interface. The rules for errors and for structs are in stowage.h.
//
//   stowage_error error;
//   error.struct_size = sizeof(error);
//   if (stowage_solve(problem, NULL, &solution, &error)) {
//     fprintf(stderr, "%s\n", error.message);
//   }
#ifndef STOWAGE_C_ERROR_H_
#define STOWAGE_C_ERROR_H_

// NOLINTBEGIN(modernize-*, readability-identifier-naming): this is C.
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

// The result of a call. The numbers never change. STOWAGE_OK is 0, so `if
// (code)` tests for an error.
typedef int32_t stowage_code;
enum {
  STOWAGE_OK = 0,
  // A stowage_write_fn of the caller stopped the call.
  STOWAGE_CANCELLED = 1,
  STOWAGE_UNKNOWN = 2,
  STOWAGE_INVALID_ARGUMENT = 3,   // an argument is wrong, whatever the state is
  STOWAGE_DEADLINE_EXCEEDED = 4,  // no function returns it today
  STOWAGE_NOT_FOUND = 5,          // a strategy or a file does not exist
  STOWAGE_ALREADY_EXISTS = 6,     // two strategies would have the same name
  STOWAGE_PERMISSION_DENIED = 7,  // the system refused access to a file
  // There is not enough memory, or a limit of a strategy is too low.
  STOWAGE_RESOURCE_EXHAUSTED = 8,
  // A plan is unsafe or missing, or functions are called in the wrong order.
  STOWAGE_FAILED_PRECONDITION = 9,
  STOWAGE_ABORTED = 10,
  // A number of bytes or of elements is out of range.
  STOWAGE_OUT_OF_RANGE = 11,
  // A strategy or this library lacks a required feature.
  STOWAGE_UNIMPLEMENTED = 12,
  STOWAGE_INTERNAL = 13,  // a callback threw, or there is a bug
  STOWAGE_UNAVAILABLE = 14,
  STOWAGE_DATA_LOSS = 15,
  STOWAGE_UNAUTHENTICATED = 16  // no function returns it today
};

// The value of a number that is absent, such as a record, a limit or a
// capacity.
#define STOWAGE_NONE UINT64_MAX

// Describes an error. Programs should read the code and the numbers; the
// message is for people and may change. After success, the code is 0 and the
// message is empty.
typedef struct {
  uint32_t struct_size;
  stowage_code code;
  uint64_t record;        // the record that the error is about, or STOWAGE_NONE
  uint64_t other_record;  // a second record, or STOWAGE_NONE
  // The features that the problem requires and the strategy lacks. Each feature
  // is a bit 1 << STOWAGE_FEATURE_...
  uint64_t missing_features;
  char message[232];  // is UTF-8, terminated, and cut at a whole character
} stowage_error;

// Returns the name of a code, such as "OK" or "INVALID_ARGUMENT", or "?" for
// any other number.
const char* stowage_code_name(stowage_code code);

// Return the version of this interface, which is 1, and the version of the
// library, such as "0.1.0". Use them in programs that load the library at run
// time.
uint32_t stowage_abi_version(void);
const char* stowage_version_string(void);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif
// NOLINTEND(modernize-*, readability-identifier-naming)

#endif  // STOWAGE_C_ERROR_H_
