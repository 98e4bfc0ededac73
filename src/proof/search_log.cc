// SPDX-License-Identifier: Apache-2.0
#include "src/proof/search_log.h"

#include <cstddef>

#include "src/proof/log_reader.h"
#include "src/proof/search_replay.h"
#include "stowage/base/optional.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/tensor_size.h"

namespace stowage::certificate {
namespace {

// The maximum number of records in a proof that is replayed. With more records,
// a search is unlikely to find a proof, and the replay would need too much
// memory.
constexpr size_t kMaxRecordsInReplay = 4096;

constexpr LogLetters kLettersOfOffsets = {"ua", "pcs", "f"};

Status ReplayStep(const LogStep& step, size_t unit, SearchReplay* replay) {
  switch (step.letter) {
    case 'p':
      return replay->Place(step.number);
    case 'c':
      return replay->Part(step.number);
    case 's':
      return replay->Stuck(step.number);
    case 'u':
      return replay->Close();
    case 'a':
      return replay->Abandon();
    case 'f': {
      const optional<size_t> level = CheckedMultiply(step.second, unit);
      if (level) return replay->Full(step.number, *level);
      return InvalidArgumentError("a level that overflows 64 bits");
    }
    default:
      break;
  }
  if (replay->IsProved()) return OkStatus();
  return InvalidArgumentError("the proof is not complete");
}

Status Replay(const SearchLog& log, SearchReplay* replay) {
  LogReader reader(kLettersOfOffsets, log.text, log.read);
  while (true) {
    const StatusOr<LogStep> step = reader.Next();
    if (!step.ok()) return step.status();
    if (Status s = ReplayStep(*step, log.unit, replay); !s.ok()) {
      return reader.ErrorHere(s.message());
    }
    if (step->letter == LogStep::kEnd) return OkStatus();
  }
}

}  // namespace

StatusOr<size_t> BoundOfSearchLog(const Problem& problem,
                                  const SearchLog& log) {
  if (log.records.size() > kMaxRecordsInReplay) {
    return ResourceExhaustedError("too many records to replay a search");
  }
  SearchReplay replay(problem, log.records, log.capacity);
  if (Status s = Replay(log, &replay); !s.ok()) return s;
  const size_t divisor = replay.divisor();
  const optional<size_t> bound =
      CheckedMultiply(log.capacity / divisor + 1, divisor);
  if (bound) return *bound;
  return InvalidArgumentError("the capacity overflows 64 bits");
}

}  // namespace stowage::certificate
