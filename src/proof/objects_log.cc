// SPDX-License-Identifier: Apache-2.0
#include "src/proof/objects_log.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "src/proof/log_reader.h"
#include "src/proof/objects_replay.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/tensor_size.h"

namespace stowage::certificate {
namespace {

// The maximum product of the number of listed records and the number of their
// distinct sizes. Within this limit, a line of the log takes at most a few
// tenths of a second.
constexpr uint64_t kMaxWorkOfLine = uint64_t{1} << 24;

constexpr LogLetters kLettersOfObjects = {"", "b", "lmtwnx"};

Status ReplayStep(const LogStep& step, ObjectsReplay* replay) {
  switch (step.letter) {
    case 'l':
      return replay->SplitCount(step.number, step.second,
                                ObjectsReplay::First::kLower);
    case 'm':
      return replay->SplitCount(step.number, step.second,
                                ObjectsReplay::First::kUpper);
    case 't':
      return replay->SplitRecord(step.number, step.second);
    case 'w':
      return replay->SetWeight(step.number, step.second);
    case 'n':
      return replay->SetPriceOfLeast(step.number, step.second);
    case 'x':
      return replay->SetPriceOfMost(step.number, step.second);
    case 'b':
      return replay->Refute(step.number);
    default:
      break;
  }
  if (replay->IsProved()) return OkStatus();
  return InvalidArgumentError("the proof is not complete");
}

Status Replay(const ObjectsLog& log, ObjectsReplay* replay) {
  LogReader reader(kLettersOfObjects, log.text, log.read);
  while (true) {
    const StatusOr<LogStep> step = reader.Next();
    if (!step.ok()) return step.status();
    if (Status s = ReplayStep(*step, replay); !s.ok()) {
      return reader.ErrorHere(s.message());
    }
    if (step->letter == LogStep::kEnd) return OkStatus();
  }
}

}  // namespace

StatusOr<size_t> BoundOfObjectsLog(Span<const ByteRecord> records,
                                   const ObjectsLog& log) {
  size_t divisor = 0;
  std::vector<size_t> sizes;
  for (const size_t i : log.listed) {
    sizes.push_back(records[i].tensor_size);
    divisor = std::gcd(divisor, records[i].tensor_size);
  }
  std::sort(sizes.begin(), sizes.end());
  // The proof relies on the fact that the records of one object form a chain. A
  // record without bytes conflicts with no record, so it may share an object
  // with any records and need not be part of a chain.
  if (sizes.empty() || sizes.front() == 0) {
    return InvalidArgumentError("a tensor of the proof has no bytes");
  }
  const auto end = std::unique(sizes.begin(), sizes.end());
  const auto classes = static_cast<uint64_t>(end - sizes.begin());
  if (classes * uint64_t{log.listed.size()} > kMaxWorkOfLine) {
    return ResourceExhaustedError("too many records to replay a search");
  }
  ObjectsReplay replay(records, log.listed, log.capacity);
  if (Status s = Replay(log, &replay); !s.ok()) return s;
  const optional<size_t> bound =
      CheckedMultiply(log.capacity / divisor + 1, divisor);
  if (bound) return *bound;
  return InvalidArgumentError("the capacity overflows 64 bits");
}

}  // namespace stowage::certificate
