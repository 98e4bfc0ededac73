// What generators.h promises; include that. Everything is drawn as a list of
// small tuples and mapped to records afterwards, so that RapidCheck shrinks it
// without further help.
#ifndef STOWAGE_TESTING_GENERATORS_INL_H_
#define STOWAGE_TESTING_GENERATORS_INL_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <ostream>
#include <tuple>
#include <utility>
#include <vector>

#include "rapidcheck.h"
#include "stowage/tensor_size.h"
#include "stowage/testing/generators.h"
#include "stowage/usage_record.h"

namespace stowage {

// How RapidCheck prints a counterexample.
template <typename TensorSizeT>
void showValue(const TensorUsageRecord<TensorSizeT>& record, std::ostream& os) {
  os << "{size " << SizeToString(record.tensor_size) << ", tasks ["
     << record.first_task << ", " << record.last_task << "]}";
}

namespace testing {
namespace detail {

// Size, tasks since the first task of the record before, tasks lived through
// after the first.
template <typename TensorSizeT>
using Step = std::tuple<TensorSizeT, TaskId, TaskId>;

// The task `forward` after another, or the last there is.
inline TaskId Later(TaskId task, TaskId forward) {
  return task + std::min(forward, std::numeric_limits<TaskId>::max() - task);
}

// Records whose first tasks never decrease.
template <typename TensorSizeT>
rc::Gen<std::vector<TensorUsageRecord<TensorSizeT>>> Walk(
    rc::Gen<TensorSizeT> size, rc::Gen<TaskId> gap, rc::Gen<TaskId> length) {
  using Steps = std::vector<Step<TensorSizeT>>;
  return rc::gen::map(
      rc::gen::container<Steps>(
          rc::gen::tuple(std::move(size), std::move(gap), std::move(length))),
      [](const Steps& steps) {
        std::vector<TensorUsageRecord<TensorSizeT>> records;
        records.reserve(steps.size());
        TaskId first = 0;
        for (const auto& [tensor_size, forward, lived] : steps) {
          first = Later(first, forward);
          records.emplace_back(tensor_size, first, Later(first, lived));
        }
        return records;
      });
}

inline rc::Gen<size_t> Bytes() {
  return rc::gen::inRange<size_t>(1, (size_t{1} << 20) + 1);
}

// 0 .. limit - 1.
inline rc::Gen<TaskId> Below(TaskId limit) {
  return rc::gen::inRange<TaskId>(0, limit);
}

// 0 to 2^56, whatever RapidCheck's size is.
inline rc::Gen<TaskId> Far() {
  return rc::gen::resize(rc::kNominalSize, Below(TaskId{1} << 56));
}

// A block of a network: its kind and its channels.
enum class Block { kPlain, kResidual, kBranching, kSkipping };
using BlockStep = std::tuple<Block, size_t>;

// Appends the tensors of blocks to records, one task for each operator.
class NetworkBuilder {
 public:
  void Add(Block block, size_t channels) {
    // Stages halve height and width and double the channels.
    const size_t stage = std::min<size_t>(blocks_++ / 4, 5);
    const size_t side = size_t{224} >> stage;
    const size_t output = side * side * (channels << stage) * sizeof(float);
    switch (block) {
      case Block::kPlain:
        Emit(output, 1);
        return;
      case Block::kResidual:  // expand, filter, project, add
        Emit(output, 4);
        Emit(output * 6, 1);
        Emit(output * 6, 1);
        Emit(output, 1);
        Emit(output, 1);
        return;
      case Block::kBranching:  // three branches into one concatenation
        Emit(output, 3);
        Emit(output / 2, 3);
        Emit(output / 2, 2);
        Emit(output / 4, 1);
        Emit(output + 2 * (output / 2), 1);
        return;
      case Block::kSkipping:  // read again by the mirrored block of a decoder
        skipping_.push_back(records_.size());
        Emit(output, 1);
        return;
    }
  }

  ByteRecords Finish() && {
    for (const size_t skip : skipping_) {
      const TaskId mirrored = task_ - records_[skip].first_task;
      records_[skip].last_task = std::max(records_[skip].last_task, mirrored);
    }
    return std::move(records_);
  }

 private:
  void Emit(size_t bytes, TaskId lived) {
    records_.emplace_back(bytes, task_, task_ + lived);
    ++task_;
  }

  ByteRecords records_;
  std::vector<size_t> skipping_;
  TaskId task_ = 0;
  size_t blocks_ = 0;
};

template <typename TensorSizeT>
struct Extent;

template <>
struct Extent<uint2> {
  static uint2 From(const std::array<uint32_t, 4>& c) { return {c[0], c[1]}; }
};

template <>
struct Extent<uint3> {
  static uint3 From(const std::array<uint32_t, 4>& c) {
    return {c[0], c[1], c[2]};
  }
};

template <>
struct Extent<BHWC> {
  static BHWC From(const std::array<uint32_t, 4>& c) {
    return {static_cast<int32_t>(c[0]), static_cast<int32_t>(c[1]),
            static_cast<int32_t>(c[2]), static_cast<int32_t>(c[3])};
  }
};

}  // namespace detail

inline rc::Gen<ByteRecords> ChainRecords() {
  return rc::gen::map(rc::gen::container<std::vector<size_t>>(detail::Bytes()),
                      [](const std::vector<size_t>& sizes) {
                        ByteRecords records;
                        records.reserve(sizes.size());
                        for (size_t i = 0; i < sizes.size(); ++i) {
                          records.emplace_back(sizes[i], i, i + 1);
                        }
                        return records;
                      });
}

inline rc::Gen<ByteRecords> BranchyRecords() {
  return detail::Walk<size_t>(detail::Bytes(), detail::Below(3),
                              detail::Below(7));
}

inline rc::Gen<ByteRecords> LongLivedRecords() {
  return detail::Walk<size_t>(
      detail::Bytes(), detail::Below(3),
      rc::gen::weightedOneOf<TaskId>(
          {{3, detail::Below(3)}, {1, detail::Below(101)}}));
}

inline rc::Gen<ByteRecords> TiedRecords() {
  return detail::Walk<size_t>(rc::gen::element<size_t>(16, 17, 64, 1024),
                              rc::gen::element<TaskId>(0, 0, 1),
                              detail::Below(3));
}

inline rc::Gen<ByteRecords> ZeroSizedRecords() {
  return detail::Walk<size_t>(
      rc::gen::oneOf(rc::gen::just(size_t{0}), detail::Bytes()),
      detail::Below(3), detail::Below(7));
}

inline rc::Gen<ByteRecords> HugeRecords() {
  return detail::Walk<size_t>(
      rc::gen::inRange(size_t{1} << 31, size_t{1} << 48), detail::Below(3),
      detail::Below(7));
}

inline rc::Gen<ByteRecords> GappyRecords() {
  const rc::Gen<TaskId> near_or_far =
      rc::gen::oneOf(detail::Below(3), detail::Far());
  // Some tensors live up to the last task there is.
  const auto for_ever = [](TaskId lived) {
    return lived >> 55 != 0 ? std::numeric_limits<TaskId>::max() : lived;
  };
  return detail::Walk<size_t>(detail::Bytes(), near_or_far,
                              rc::gen::map(near_or_far, for_ever));
}

inline rc::Gen<ByteRecords> UnsortedRecords() {
  using Steps = std::vector<detail::Step<size_t>>;
  return rc::gen::map(
      rc::gen::container<Steps>(rc::gen::tuple(
          detail::Bytes(), detail::Below(40), detail::Below(12))),
      [](const Steps& steps) {
        ByteRecords records;
        records.reserve(steps.size());
        for (const auto& [tensor_size, first, lived] : steps) {
          records.emplace_back(tensor_size, first, first + lived);
        }
        return records;
      });
}

inline rc::Gen<ByteRecords> NetworkRecords() {
  using Blocks = std::vector<detail::BlockStep>;
  return rc::gen::map(
      rc::gen::container<Blocks>(rc::gen::tuple(
          rc::gen::element(detail::Block::kPlain, detail::Block::kResidual,
                           detail::Block::kBranching, detail::Block::kSkipping),
          rc::gen::inRange<size_t>(1, 65))),
      [](const Blocks& blocks) {
        detail::NetworkBuilder builder;
        for (const auto& [block, channels] : blocks) {
          builder.Add(block, channels);
        }
        return std::move(builder).Finish();
      });
}

inline rc::Gen<ByteRecords> AnyRecords() {
  return rc::gen::weightedOneOf<ByteRecords>(
      {{8, AnySortedRecords()}, {2, UnsortedRecords()}});
}

inline rc::Gen<ByteRecords> AnySortedRecords() {
  return rc::gen::oneOf(ChainRecords(), BranchyRecords(), LongLivedRecords(),
                        TiedRecords(), ZeroSizedRecords(), HugeRecords(),
                        GappyRecords(), NetworkRecords());
}

template <typename TensorSizeT>
rc::Gen<std::vector<TensorUsageRecord<TensorSizeT>>> ExtentRecords() {
  const rc::Gen<TensorSizeT> extent =
      rc::gen::map(rc::gen::container<std::array<uint32_t, 4>>(
                       rc::gen::inRange<uint32_t>(0, 9)),
                   &detail::Extent<TensorSizeT>::From);
  return detail::Walk<TensorSizeT>(extent, detail::Below(3), detail::Below(5));
}

inline rc::Gen<std::vector<size_t>> AlignmentLists(size_t count) {
  return rc::gen::container<std::vector<size_t>>(
      count, rc::gen::map(rc::gen::inRange<int>(0, 13),
                          [](int exponent) { return size_t{1} << exponent; }));
}

}  // namespace testing
}  // namespace stowage

#endif  // STOWAGE_TESTING_GENERATORS_INL_H_
