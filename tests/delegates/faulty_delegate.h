// SPDX-License-Identifier: Apache-2.0
// The delegate `reference` with a fault, for tests of what finds and reports
// it. Its options:
//
//   memory=opaque|transparent      as of reference
//   wrong=N[,and=M]                partitions with node N, and M, compute
//                                  something else
//   fault=prepare|kernel|invoke    returns an error there
//   at=K                           of invoke: in the K-th run of a kernel, from
//                                  1, the default, on
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
