// SPDX-License-Identifier: Apache-2.0
#include "mincostflow/decode.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "src/base/containers.h"
#include "src/model/execution_order.h"

namespace stowage::mincostflow {
namespace {

class Decoder {
 public:
  Decoder(Span<const TensorUsageRecord<size_t>> records, const Network& network,
          const OptimalFlow& flow)
      : records_(records),
        network_(network),
        flow_(flow),
        transfers_(flow.transfers),
        size_classes_(network.class_sizes.size()),
        object_of_(records.size(), kNone) {
    std::sort(transfers_.begin(), transfers_.end(),
              [](const Transfer& a, const Transfer& b) {
                return std::make_pair(a.arc.head, a.arc.tail) <
                       std::make_pair(b.arc.head, b.arc.tail);
              });
  }

  ObjectsAssignment<size_t> Decode() {
    for (size_t begin = 0; begin < network_.nodes.size();) {
      const size_t end = network_.EndOfTurn(begin);
      DecodeTurn(begin, end);
      begin = end;
    }
    return Numbered();
  }

 private:
  // The objects of one size class, as pairs of current size and id.
  using SizeClass = btree_set<std::pair<size_t, size_t>>;

  void DecodeTurn(size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      const Node& node = network_.nodes[i];
      for (size_t e = node.begin; e < node.starts; ++e) {
        const size_t object = object_of_[network_.events[e]];
        size_classes_[node.size_class].insert({sizes_[object], object});
      }
      for (int64_t k = 0; k < flow_.bought[i]; ++k) {
        const size_t size = network_.SizeOf(i);
        size_classes_[node.size_class].insert({size, sizes_.size()});
        sizes_.push_back(size);
      }
    }
    CarryObjects(begin, end);
    for (size_t i = begin; i < end; ++i) {
      const Node& node = network_.nodes[i];
      for (size_t e = node.starts; e < node.end; ++e) {
        const size_t object = TakeObject(node.size_class, network_.SizeOf(i));
        object_of_[network_.events[e]] = object;
        sizes_[object] = std::max(sizes_[object], network_.SizeOf(i));
      }
    }
  }

  // Moves objects between size classes according to the transfers to the nodes
  // [begin, end), which form one round. An object that leaves a node of the
  // round may have arrived there in the same round, so each node is processed
  // only after all its arrivals.
  void CarryObjects(size_t begin, size_t end) {
    const size_t first = next_;
    std::vector<size_t> awaited(end - begin, 0);
    std::vector<std::vector<size_t>> leaving(end - begin);
    std::vector<size_t> ready;
    for (; next_ < transfers_.size() && transfers_[next_].arc.head < end;
         ++next_) {
      const Arc& arc = transfers_[next_].arc;
      ++awaited[arc.head - begin];
      if (arc.tail >= begin) leaving[arc.tail - begin].push_back(next_);
    }
    const auto carry = [&](const Transfer& transfer) {
      Carry(transfer);
      if (--awaited[transfer.arc.head - begin] == 0) {
        ready.push_back(transfer.arc.head);
      }
    };
    for (size_t i = begin; i < end; ++i) {
      if (awaited[i - begin] == 0) ready.push_back(i);
    }
    for (size_t t = first; t < next_; ++t) {
      if (transfers_[t].arc.tail < begin) carry(transfers_[t]);
    }
    while (!ready.empty()) {
      const size_t node = ready.back();
      ready.pop_back();
      for (const size_t t : leaving[node - begin]) carry(transfers_[t]);
    }
  }

  void Carry(const Transfer& transfer) {
    const size_t from = network_.nodes[transfer.arc.tail].size_class;
    const size_t to = network_.nodes[transfer.arc.head].size_class;
    for (int64_t k = 0; k < transfer.amount; ++k) {
      const size_t object = TakeObject(from, network_.class_sizes[to]);
      size_classes_[to].insert({sizes_[object], object});
    }
  }

  // Removes and returns the smallest object of at least `size`, or the largest
  // object if none is that large.
  size_t TakeObject(size_t size_class, size_t size) {
    SizeClass& objects = size_classes_[size_class];
    auto it = objects.lower_bound({size, 0});
    if (it == objects.end()) --it;
    const size_t object = it->second;
    objects.erase(it);
    return object;
  }

  ObjectsAssignment<size_t> Numbered() const {
    ObjectsAssignment<size_t> assignment;
    assignment.object_ids.resize(records_.size());
    std::vector<size_t> ids(sizes_.size(), kNone);
    for (const size_t record : ExecutionOrder(records_)) {
      size_t& id = ids[object_of_[record]];
      if (id == kNone) {
        id = assignment.object_sizes.size();
        assignment.object_sizes.push_back(sizes_[object_of_[record]]);
      }
      assignment.object_ids[record] = id;
    }
    return assignment;
  }

  Span<const TensorUsageRecord<size_t>> records_;
  const Network& network_;
  const OptimalFlow& flow_;
  std::vector<Transfer> transfers_;  // is sorted by head
  size_t next_ = 0;                  // an index into transfers_
  // The objects that are currently available in each size class.
  std::vector<SizeClass> size_classes_;
  std::vector<size_t> object_of_;  // the object of each record that has started
  std::vector<size_t> sizes_;      // the size of each object so far
};

}  // namespace

ObjectsAssignment<size_t> DecodeFlow(
    Span<const TensorUsageRecord<size_t>> records, const Network& network,
    const OptimalFlow& flow) {
  return Decoder(records, network, flow).Decode();
}

}  // namespace stowage::mincostflow
