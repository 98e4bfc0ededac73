#include "stowage/harness/interpreter.h"

#include "gtest/gtest.h"

namespace stowage::harness {
namespace {}  // namespace
}  // namespace stowage::harness
