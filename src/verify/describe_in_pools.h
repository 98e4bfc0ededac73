// SPDX-License-Identifier: Apache-2.0
// Describes a violation without its problem. Programs without constraints thus
// need not link the code for problems with constraints. If the problem is at
// hand, use Describe (verify.h).
#ifndef STOWAGE_SRC_VERIFY_DESCRIBE_IN_POOLS_H_
#define STOWAGE_SRC_VERIFY_DESCRIBE_IN_POOLS_H_

#include <string>

#include "stowage/base/span.h"
#include "stowage/verify.h"

namespace stowage {

// Does the same as Describe for a problem whose records and pools have these
// names. Either list may be empty.
std::string DescribeInPools(const Violation& violation,
                            Span<const std::string> names,
                            Span<const std::string> pools);

}  // namespace stowage

#endif  // STOWAGE_SRC_VERIFY_DESCRIBE_IN_POOLS_H_
