// SPDX-License-Identifier: Apache-2.0
// The faulty delegate as a shared library, for tests of the command, which
// loads it.
#include "stowage/harness/delegate.h"
#include "tests/delegates/faulty_delegate.h"

STOWAGE_DELEGATE_LIBRARY(stowage::harness::CreateFaultyDelegate);
