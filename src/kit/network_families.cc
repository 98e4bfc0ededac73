// SPDX-License-Identifier: Apache-2.0
// Defines families of graphs that resemble real models, and a family of
// long-lived tensors.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "src/kit/family_row.h"
#include "stowage/base/span.h"
#include "stowage/testing/families.h"
#include "stowage/testing/specs.h"
#include "stowage/usage_record.h"

namespace stowage::testing {
namespace {

// Divides the samples into runs, where a sample of kind 0 is the last sample of
// its run. Returns, for each sample, the index of the last sample of its run.
std::vector<size_t> RunEnds(Span<const Sample> samples) {
  std::vector<size_t> ends(samples.size());
  size_t end = samples.size() - 1;
  for (size_t i = samples.size(); i-- > 0;) {
    if (samples[i].kind == 0) end = i;
    ends[i] = end;
  }
  return ends;
}

ProblemSpec Chains(Span<const Sample> samples, const Parameters& parameters) {
  SpecBuilder builder(parameters);
  for (size_t i = 0; i < samples.size(); ++i) {
    builder.Add(samples[i], BytesOf(samples[i]), i, i + 1);
  }
  return std::move(builder).Finish();
}

ProblemSpec Branches(Span<const Sample> samples, const Parameters& parameters) {
  return BuildInOrder(samples, parameters, BytesOf);
}

// Returns blocks of four layers, as in residual networks: expand, filter,
// project and add. The sum is the input of the next block.
ProblemSpec Residual(Span<const Sample> samples, const Parameters& parameters) {
  SpecBuilder builder(parameters);
  TaskId task = 0;
  for (const Sample& sample : samples) {
    const size_t wide = BytesOf(sample);
    const size_t narrow = std::max<size_t>(wide / (sample.kind + 1), 1);
    builder.Add(sample, narrow, task, task + 4);
    builder.Add(sample, wide, task + 1, task + 2);
    builder.Add(sample, wide, task + 2, task + 3);
    builder.Add(sample, narrow, task + 3, task + 4);
    task += 4;
  }
  return std::move(builder).Finish();
}

Sample ResidualLimits(const Parameters& parameters) {
  return UsualLimits(parameters, 6);
}

// Returns blocks in which every layer reads all earlier layers of its block.
// The first layer of a block also reads all layers of the previous block.
ProblemSpec Dense(Span<const Sample> samples, const Parameters& parameters) {
  SpecBuilder builder(parameters);
  const std::vector<size_t> ends = RunEnds(samples);
  for (size_t i = 0; i < samples.size(); ++i) {
    builder.Add(samples[i], BytesOf(samples[i]), i, ends[i] + 1);
  }
  return std::move(builder).Finish();
}

Sample DenseLimits(const Parameters& parameters) {
  return UsualLimits(parameters, 6);
}

// Returns networks like U-Nets: the k-th layer from the end also reads the
// output of the k-th layer from the beginning. Sizes halve toward the middle.
ProblemSpec UNets(Span<const Sample> samples, const Parameters& parameters) {
  SpecBuilder builder(parameters);
  const size_t count = samples.size();
  for (size_t i = 0; i < count; ++i) {
    const size_t mirrored = count - 1 - i;
    const size_t depth = std::min(i, mirrored);
    const size_t size = BytesOf(samples[i]) >> std::min<size_t>(depth / 2, 10);
    builder.Add(samples[i], std::max<size_t>(size, 1), i,
                std::max(i + 1, mirrored));
  }
  return std::move(builder).Finish();
}

// Returns unrolled loops. Every step computes a state, a candidate of the same
// size, and gates, which are four times as large. The state is live until the
// next step has computed its own state. The sequence, to which all steps
// append, is live throughout the loop.
ProblemSpec Recurrent(Span<const Sample> samples,
                      const Parameters& parameters) {
  constexpr TaskId kStep = 3;
  SpecBuilder builder(parameters);
  const std::vector<size_t> ends = RunEnds(samples);
  size_t state = 0;
  for (size_t i = 0; i < samples.size(); ++i) {
    const TaskId task = i * kStep;
    if (i == 0 || ends[i] != ends[i - 1]) {
      state = BytesOf(samples[i]);
      const size_t steps = ends[i] - i + 1;
      builder.Add(samples[i], state * steps, task, task + steps * kStep);
    }
    builder.Add(samples[i], state * 4, task, task + 1);
    builder.Add(samples[i], state, task + 1, task + 2);
    builder.Add(samples[i], state, task + 2, task + 2 + kStep);
  }
  return std::move(builder).Finish();
}

Sample RecurrentLimits(const Parameters& parameters) {
  return UsualLimits(parameters, 8);
}

ProblemSpec Networks(Span<const Sample> samples, const Parameters& parameters) {
  return BuildNetwork(samples, parameters).Finish();
}

// Returns records with long lifetimes. One eighth of them are live for many
// tasks, and another eighth until the end, like weights.
ProblemSpec LongLived(Span<const Sample> samples,
                      const Parameters& parameters) {
  SpecBuilder builder(parameters);
  std::vector<size_t> endless;
  TaskId first = 0;
  TaskId end = 0;
  for (const Sample& sample : samples) {
    first = AddTasks(first, sample.gap);
    const bool is_long = sample.kind >= 6;
    const TaskId last =
        AddTasks(first, is_long ? sample.life : sample.life % 3);
    if (sample.kind == 7) endless.push_back(builder.records().size());
    builder.Add(sample, BytesOf(sample), first, last);
    end = std::max(end, last);
  }
  for (const size_t i : endless) builder.records()[i].last_task = end;
  return std::move(builder).Finish();
}

Sample LongLivedLimits(const Parameters& parameters) {
  Parameters long_lived = parameters;
  long_lived.max_life = parameters.long_life;
  return UsualLimits(long_lived, 8);
}

// The kind of a block of a network.
enum class Block { kPlain, kResidual, kBranching, kSkipping };

class NetworkBuilder {
 public:
  explicit NetworkBuilder(const Parameters& parameters)
      : builder_(parameters) {}

  void Add(const Sample& sample) {
    // Each stage halves the height and width of images and doubles the number
    // of channels.
    const size_t stage = std::min<size_t>(blocks_++ / 4, 5);
    const size_t side = size_t{224} >> stage;
    const size_t output =
        side * side * ((sample.size + 1) << stage) * sizeof(float);
    switch (static_cast<Block>(sample.kind)) {
      case Block::kPlain:
        Emit(sample, output, 1);
        return;
      case Block::kResidual:  // expands, filters, projects and adds
        Emit(sample, output, 4);
        Emit(sample, output * 6, 1);
        Emit(sample, output * 6, 1);
        Emit(sample, output, 1);
        Emit(sample, output, 1);
        return;
      case Block::kBranching:  // has three branches that are concatenated
        Emit(sample, output, 3);
        Emit(sample, output / 2, 3);
        Emit(sample, output / 2, 2);
        Emit(sample, output / 4, 1);
        Emit(sample, output + 2 * (output / 2), 1);
        return;
      case Block::kSkipping:  // a mirrored decoder block reads its output again
        skipping_.push_back(builder_.records().size());
        Emit(sample, output, 1);
        return;
    }
  }

  SpecBuilder Finish() && {
    for (const size_t skip : skipping_) {
      ByteRecord& record = builder_.records()[skip];
      const TaskId mirrored = task_ - record.first_task;
      record.last_task = std::max(record.last_task, mirrored);
    }
    return std::move(builder_);
  }

 private:
  void Emit(const Sample& sample, size_t bytes, TaskId lived) {
    builder_.Add(sample, bytes, task_, task_ + lived);
    ++task_;
  }

  SpecBuilder builder_;
  std::vector<size_t> skipping_;
  TaskId task_ = 0;
  size_t blocks_ = 0;
};

}  // namespace

SpecBuilder BuildNetwork(Span<const Sample> samples,
                         const Parameters& parameters) {
  NetworkBuilder builder(parameters);
  for (const Sample& sample : samples) builder.Add(sample);
  return std::move(builder).Finish();
}

Sample NetworkLimits(const Parameters& parameters) {
  Sample limits = UsualLimits(parameters, 4);
  limits.size = 64;  // the number of channels
  // `gap` determines the position of the tensors of the block in a permutation.
  limits.gap = 1 << 16;
  return limits;
}

Span<const FamilyRow> NetworkFamilies() {
  static constexpr FamilyRow kRows[] = {
      {{Family::kChains, "chains",
        "each tensor is read by the next task only: intervals taken for "
        "half-open"},
       &OneKind,
       &Chains},
      {{Family::kBranches, "branches",
        "several tensors begin at one task and are live for a few: reuse "
        "within a task"},
       &OneKind,
       &Branches},
      {{Family::kResidual, "residual",
        "inputs that wait for the sum at the end of their block"},
       &ResidualLimits,
       &Residual},
      {{Family::kDense, "dense",
        "every layer of a block is live to its end: many intervals that end "
        "at once"},
       &DenseLimits,
       &Dense},
      {{Family::kUNets, "u_nets",
        "encoders read again by their decoders: nested intervals"},
       &OneKind,
       &UNets},
      {{Family::kRecurrent, "recurrent",
        "unrolled loops with alternating states: objects reused one step too "
        "early"},
       &RecurrentLimits,
       &Recurrent},
      {{Family::kNetworks, "networks",
        "plain, residual, branching and encoder-decoder blocks, with sizes "
        "that shrink as channels grow: as in real models"},
       &NetworkLimits,
       &Networks},
      {{Family::kLongLived, "long_lived",
        "some tensors are live much longer than others, and some to the end: "
        "fragmentation, stale lists"},
       &LongLivedLimits,
       &LongLived},
  };
  return kRows;
}

}  // namespace stowage::testing
