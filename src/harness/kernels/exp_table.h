// SPDX-License-Identifier: Apache-2.0
// Computes a table of exponentials for SOFTMAX of 8 bits. In a row of such
// numbers all differences are from 0 to 255. The tables for 16 bits are in
// softmax.cc.
#ifndef STOWAGE_SRC_HARNESS_KERNELS_EXP_TABLE_H_
#define STOWAGE_SRC_HARNESS_KERNELS_EXP_TABLE_H_

#include <array>
#include <cstdint>

#include "absl/status/statusor.h"

namespace stowage::harness {

using ExpTable = std::array<int32_t, 256>;

// Returns exp(-d), in Q0, for all differences d of 8-bit inputs in units of
// `scale`, each multiplied by `beta`. Error: InvalidArgument if the product of
// scale and beta is not above 2^-26.
absl::StatusOr<ExpTable> MakeExpTable(float scale, float beta);

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_KERNELS_EXP_TABLE_H_
