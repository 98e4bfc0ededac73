// SPDX-License-Identifier: Apache-2.0
// Defines families of hard instances: packings without gaps, and instances for
// which one of the classic strategies makes bad plans.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "src/kit/family_row.h"
#include "src/kit/gadgets.h"
#include "stowage/base/span.h"
#include "stowage/testing/families.h"
#include "stowage/testing/specs.h"
#include "stowage/usage_record.h"

namespace stowage::testing {
namespace {

// A piece of a rectangle of tasks and bytes. `end` and `top` are exclusive.
struct Piece {
  TaskId first;
  TaskId end;
  size_t begin;
  size_t top;
  Sample sample;
};

// Returns the position of a cut through an extent, in [1, extent - 1]. Requires
// extent >= 2.
size_t CutAt(size_t extent, uint64_t number) {
  return 1 + number % (extent - 1);
}

// Cuts a rectangle into pieces until there is one for every sample.
class Cutter {
 public:
  Cutter(TaskId tasks, size_t bytes, const Sample& sample)
      : pieces_({{0, tasks, 0, bytes, sample}}) {}

  void Cut(const Sample& sample) {
    const size_t i = sample.gap % pieces_.size();
    const TaskId tasks = pieces_[i].end - pieces_[i].first;
    const size_t bytes = pieces_[i].top - pieces_[i].begin;
    if (sample.kind == 2 && tasks > 2 && bytes > 2) {
      CutIntoFive(i, sample);
    } else if (sample.kind == 1 && tasks > 1) {
      const TaskId at = pieces_[i].first + CutAt(tasks, sample.life);
      Piece rest = pieces_[i];
      rest.first = pieces_[i].end = at;
      Push(rest, sample);
    } else if (bytes > 1) {
      const size_t at = pieces_[i].begin + CutAt(bytes, sample.size);
      Piece rest = pieces_[i];
      rest.begin = pieces_[i].top = at;
      Push(rest, sample);
    }
  }

  const std::vector<Piece>& pieces() const { return pieces_; }

 private:
  void Push(Piece piece, const Sample& sample) {
    piece.sample = sample;
    pieces_.push_back(piece);
  }

  // Cuts piece `i` into five: four pieces around a fifth in the middle. No
  // straight cut through the whole piece separates them:
  //
  //   bytes  +-----+---+
  //          |     +-+ |
  //          +---+-+ | |     time to the right
  //          |   +-+-+ |
  //          +---+-----+
  void CutIntoFive(size_t i, const Sample& sample) {
    const Piece whole = pieces_[i];
    const TaskId tasks = whole.end - whole.first;
    const size_t bytes = whole.top - whole.begin;
    const TaskId left = whole.first + CutAt(tasks - 1, sample.life);
    const TaskId right = left + CutAt(whole.end - left, sample.gap);
    const size_t low = whole.begin + CutAt(bytes - 1, sample.size);
    const size_t high = low + CutAt(whole.top - low, sample.life);
    pieces_[i] = {whole.first, right, whole.begin, low, whole.sample};
    Push({right, whole.end, whole.begin, high, sample}, sample);
    Push({left, whole.end, high, whole.top, sample}, sample);
    Push({whole.first, left, low, whole.top, sample}, sample);
    Push({left, right, low, high, sample}, sample);
  }

  std::vector<Piece> pieces_;
};

// Returns records that fill a rectangle of tasks and bytes: all bytes of the
// rectangle are live at every task, and there is a plan that needs no more
// bytes.
ProblemSpec TightPackings(Span<const Sample> samples,
                          const Parameters& parameters) {
  const TaskId tasks = 8 + samples.size();
  Cutter cutter(tasks, parameters.max_size, samples[0]);
  for (const Sample& sample : samples.subspan(1)) cutter.Cut(sample);
  Parameters unaligned = parameters;
  unaligned.max_alignment = 1;
  SpecBuilder builder(unaligned);
  for (const Piece& piece : cutter.pieces()) {
    builder.Add(piece.sample, piece.top - piece.begin, piece.first,
                piece.end - 1);
  }
  builder.SortByFirstTask();
  return std::move(builder).Finish();
}

Sample TightPackingsLimits(const Parameters& parameters) {
  Sample limits = UsualLimits(parameters, 3);
  limits.gap = 1 << 16;   // selects the piece
  limits.life = 1 << 16;  // selects the task of the cut
  return limits;
}

// Returns records with one gadget for each sample. The gadgets follow one
// another in time, and each is scaled by the size of its sample. No two gadgets
// are live at the same time, so all records together need no larger arena than
// the largest gadget.
template <const Gadget& kGadget>
ProblemSpec Repeat(Span<const Sample> samples, const Parameters& parameters) {
  SpecBuilder builder(parameters);
  TaskId start = 0;
  for (const Sample& sample : samples) {
    TaskId end = start;
    for (const GadgetRecord& record : kGadget) {
      builder.Add(sample, record.size * BytesOf(sample),
                  start + record.first_task, start + record.last_task);
      end = std::max(end, start + record.last_task + 1);
    }
    start = end;
  }
  return std::move(builder).Finish();
}

Sample RepeatLimits(const Parameters& parameters) {
  Sample limits = UsualLimits(parameters);
  limits.size = std::max<uint64_t>(parameters.max_size / 100, 1);
  return limits;
}

}  // namespace

Span<const FamilyRow> HardFamilies() {
  static constexpr FamilyRow kRows[] = {
      {{Family::kTightPackings, "tight_packings",
        "a rectangle of tasks and bytes cut into pieces: the smallest arena is "
        "known and has no gap"},
       &TightPackingsLimits,
       &TightPackings},
      {{Family::kWorstOfNaive, "worst_of_naive",
        "tensors that could all have the same place"},
       &RepeatLimits,
       &Repeat<kNaiveGadget>},
      {{Family::kWorstOfEquality, "worst_of_equality",
        "tensors that could all have the same place, and no two of the same "
        "size"},
       &RepeatLimits,
       &Repeat<kEqualityGadget>},
      {{Family::kWorstOfGreedyInOrder, "worst_of_greedy_in_order",
        "small tensors that take large objects before large tensors come"},
       &RepeatLimits,
       &Repeat<kGreedyInOrderGadget>},
      {{Family::kWorstOfGreedyByBreadth, "worst_of_greedy_by_breadth",
        "broad tasks whose plan leaves no room for the tensors between them"},
       &RepeatLimits,
       &Repeat<kGreedyByBreadthGadget>},
      {{Family::kWorstOfGreedyBySize, "worst_of_greedy_by_size",
        "large tensors first, and no room between them for the small"},
       &RepeatLimits,
       &Repeat<kGreedyBySizeGadget>},
      {{Family::kWorstOfGreedyBest, "worst_of_greedy_best",
        "all greedy strategies are far from the optimum at once"},
       &RepeatLimits,
       &Repeat<kGreedyBestGadget>},
      {{Family::kWorstOfMinCostFlow, "worst_of_mincostflow",
        "the cheapest reuse of objects, and a large arena"},
       &RepeatLimits,
       &Repeat<kMinCostFlowGadget>},
  };
  return kRows;
}

}  // namespace stowage::testing
