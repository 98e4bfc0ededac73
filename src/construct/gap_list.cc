// SPDX-License-Identifier: Apache-2.0
#include "src/construct/gap_list.h"

#include <algorithm>
#include <cstddef>

#include "stowage/tensor_size.h"

namespace stowage {
namespace {

bool HasRoom(size_t offset, size_t gap, size_t size, size_t alignment) {
  const size_t padding = AlignUp(offset, alignment) - offset;
  return padding <= gap && size <= gap - padding;
}

// A gap that is as large as a block may be too small once the block is aligned.
// This is the maximum number of such gaps to try. After that, the smallest gap
// is used that has room for the block and the largest possible padding.
constexpr int kTightGaps = 8;

}  // namespace

GapList::GapList() = default;

GapList::Block GapList::NewNode(const Node& node) {
  Block block = 0;
  if (unused_.empty()) {
    block = static_cast<Block>(nodes_.size());
    nodes_.push_back(node);
  } else {
    block = unused_.back();
    unused_.pop_back();
    nodes_[block] = node;
  }
  nodes_[node.below].above = block;
  nodes_[node.above].below = block;
  return block;
}

void GapList::Unlink(Block node) {
  nodes_[nodes_[node].below].above = nodes_[node].above;
  nodes_[nodes_[node].above].below = nodes_[node].below;
  unused_.push_back(node);
}

void GapList::RemoveGap(Block node) {
  gaps_.erase({nodes_[node].size, nodes_[node].offset, node});
  nodes_[node].free = false;
}

void GapList::AddGap(Block node) {
  const Block below = nodes_[node].below;
  if (nodes_[below].free) {
    RemoveGap(below);
    nodes_[node].offset = nodes_[below].offset;
    nodes_[node].size += nodes_[below].size;
    Unlink(below);
  }
  const Block above = nodes_[node].above;
  if (nodes_[above].free) {
    RemoveGap(above);
    nodes_[node].size += nodes_[above].size;
    Unlink(above);
  }
  if (nodes_[node].above == 0) {
    Unlink(node);  // the unlimited room on top has no node
    return;
  }
  nodes_[node].free = true;
  gaps_.insert({nodes_[node].size, nodes_[node].offset, node});
}

void GapList::GiveBackPadding(Block node, size_t padding) {
  if (padding == 0) return;
  Node& kept = nodes_[node];
  Node front = {kept.offset, padding, kept.below, node, false};
  kept.offset += padding;
  kept.size -= padding;
  AddGap(NewNode(front));
}

GapList::Block GapList::TakeOnTop(size_t size, size_t alignment) {
  const Node& last = nodes_[nodes_[0].below];
  const size_t end = last.offset + last.size;
  const size_t padding = AlignUp(end, alignment) - end;
  const Block block = NewNode({end, padding + size, nodes_[0].below, 0, false});
  GiveBackPadding(block, padding);
  top_ = std::max(top_, end + padding + size);
  return block;
}

GapList::Block GapList::TakeFrom(Gap gap, size_t size, size_t alignment) {
  const Block block = gap.node;
  RemoveGap(block);
  const size_t padding = AlignUp(gap.offset, alignment) - gap.offset;
  const size_t rest = gap.size - padding - size;
  if (rest > 0) {
    nodes_[block].size -= rest;
    AddGap(NewNode({gap.offset + padding + size, rest, block,
                    nodes_[block].above, false}));
  }
  GiveBackPadding(block, padding);
  return block;
}

GapList::Block GapList::Take(size_t size, size_t alignment) {
  auto gap = gaps_.lower_bound({size, 0, 0});
  for (int tries = 0; tries < kTightGaps && gap != gaps_.end(); ++tries) {
    if (HasRoom(gap->offset, gap->size, size, alignment)) {
      return TakeFrom(*gap, size, alignment);
    }
    ++gap;
  }
  gap = gaps_.lower_bound({size + (alignment - 1), 0, 0});
  if (gap != gaps_.end()) return TakeFrom(*gap, size, alignment);
  return TakeOnTop(size, alignment);
}

void GapList::Release(Block block) { AddGap(block); }

}  // namespace stowage
