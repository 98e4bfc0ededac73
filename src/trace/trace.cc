#include "stowage/trace.h"

#include "absl/types/span.h"

namespace stowage {

Alignments Trace::alignment() const {
  if (alignments.empty()) return {};
  return absl::MakeConstSpan(alignments);
}

}  // namespace stowage
