// SPDX-License-Identifier: Apache-2.0
// SKYLINE places records from the bottom up and outwards from the peak. For its
// cost and when to use it, see README.md in this folder.
#ifndef STOWAGE_STRATEGIES_SKYLINE_SKYLINE_H_
#define STOWAGE_STRATEGIES_SKYLINE_SKYLINE_H_

#include <memory>

#include "stowage/strategy.h"

namespace stowage::skyline {

std::unique_ptr<const Strategy> Create();

}  // namespace stowage::skyline

#endif  // STOWAGE_STRATEGIES_SKYLINE_SKYLINE_H_
