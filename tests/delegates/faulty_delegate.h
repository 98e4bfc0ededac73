// SPDX-License-Identifier: Apache-2.0
// Creates the delegate `reference` with a fault, to test the code that finds
// and reports faults. The options are:
//
//   memory=opaque|transparent      the kind of memory, as for `reference`
//   wrong=N[,and=M]                partitions with node N, and with M if it is
//                                  given, compute wrong outputs
//   fault=prepare|kernel|invoke    this function returns an error
//   at=K                           fault=invoke begins with the K-th run of a
//                                  kernel; the default is 1
#ifndef STOWAGE_TESTS_DELEGATES_FAULTY_DELEGATE_H_
#define STOWAGE_TESTS_DELEGATES_FAULTY_DELEGATE_H_

#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "stowage/harness/delegate.h"

namespace stowage::harness {

absl::StatusOr<std::unique_ptr<Delegate>> CreateFaultyDelegate(
    absl::string_view text);

}  // namespace stowage::harness

#endif  // STOWAGE_TESTS_DELEGATES_FAULTY_DELEGATE_H_
