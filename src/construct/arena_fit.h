// SPDX-License-Identifier: Apache-2.0
// Places records as stowage/construct/arena_fit.h does. This header is for
// strategies, which already have the ranks of the intervals. For the best fit
// of Pisarchyk and Lee, which compares gaps in a simpler way, use PlaceBestFit
// (best_fit.h).
#ifndef STOWAGE_SRC_CONSTRUCT_ARENA_FIT_H_
#define STOWAGE_SRC_CONSTRUCT_ARENA_FIT_H_

#include <cstddef>

#include "src/bounds/interval_ranks.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/construct/arena_fit.h"  // IWYU pragma: export
#include "stowage/profile.h"
#include "stowage/tensor_size.h"

namespace stowage {

// Like the function of the same name in the public header. Requires that
// `ranks` are the ranks of `records`.
ArenaFit PlaceArenaFit(Span<const ByteRecord> records,
                       const IntervalRanks& ranks, Span<const size_t> order,
                       const Alignments& alignments,
                       Span<const optional<size_t>> fixed = {});

}  // namespace stowage

#endif  // STOWAGE_SRC_CONSTRUCT_ARENA_FIT_H_
