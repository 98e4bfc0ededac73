// SPDX-License-Identifier: Apache-2.0
// Describes a violation without access to its problem, so programs without
// constraints need not link the code for problems with constraints. If the
// problem is available, use Describe (verify.h).
#ifndef STOWAGE_SRC_VERIFY_DESCRIBE_IN_POOLS_H_
#define STOWAGE_SRC_VERIFY_DESCRIBE_IN_POOLS_H_

#include <string>

#include "stowage/base/span.h"
#include "stowage/verify.h"

namespace stowage {

// Like Describe, for a problem with the given names of records and pools.
// Either list may be empty.
std::string DescribeInPools(const Violation& violation,
                            Span<const std::string> names,
                            Span<const std::string> pools);

}  // namespace stowage

#endif  // STOWAGE_SRC_VERIFY_DESCRIBE_IN_POOLS_H_
