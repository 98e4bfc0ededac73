// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "src/base/str_cat.h"
#include "stowage/programs/points.h"
#include "stowage/programs/program.h"
#include "stowage/verify_values.h"

namespace stowage {

std::string DescribeValueFault(const Program& program,
                               const ProgramPoints& points,
                               const ValueFault& fault) {
  std::string place = PointPlace(program, points, fault.point);
  const std::string slot = SlotName(program, fault.slot);
  const std::string other = SlotName(program, fault.other);
  switch (fault.kind) {
    case ValueFault::Kind::kOverwritten:
      if (!fault.writer) {
        return StrCat(place, " reads tensor ", slot, ", but byte ", fault.byte,
                      " does not hold its value on every path");
      }
      return StrCat(place, " reads tensor ", slot, ", but byte ", fault.byte,
                    " was last written by ",
                    PointPlace(program, points, *fault.writer), ", for tensor ",
                    SlotName(program, *fault.writer_slot));
    case ValueFault::Kind::kInPlace:
      return StrCat(place, " writes tensor ", other, " over tensor ", slot,
                    ", which it reads, from byte ", fault.byte,
                    " on; expected separate bytes, or the same bytes if the "
                    "operator may compute in place");
    case ValueFault::Kind::kTwoResults:
      return StrCat(place, " writes tensor ", slot, " and tensor ", other,
                    ", and both have byte ", fault.byte,
                    "; expected separate bytes");
    case ValueFault::Kind::kNoOffset:
      return StrCat(place, " uses tensor ", slot,
                    ", which has no offset; expected one whose end is below "
                    "2^64");
  }
  return place;
}

}  // namespace stowage
