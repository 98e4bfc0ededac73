// SPDX-License-Identifier: Apache-2.0
// Finds the function that a program would call if it did not itself define a
// function with the same name.
#ifndef STOWAGE_TESTS_FAULTS_NEXT_FUNCTION_H_
#define STOWAGE_TESTS_FAULTS_NEXT_FUNCTION_H_

#include <dlfcn.h>

namespace stowage::faults {

template <typename Function>
Function* Next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace stowage::faults

#endif  // STOWAGE_TESTS_FAULTS_NEXT_FUNCTION_H_
