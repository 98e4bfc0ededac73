// SPDX-License-Identifier: Apache-2.0
// Builds the faulty delegate as a shared library, which tests of the command
// load.
#include "stowage/harness/delegate.h"
#include "tests/delegates/faulty_delegate.h"

STOWAGE_DELEGATE_LIBRARY(stowage::harness::CreateFaultyDelegate);
