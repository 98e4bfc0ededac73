// SPDX-License-Identifier: Apache-2.0
// Runs the command with a fault, each time in a process and a folder of its
// own.
#ifndef STOWAGE_TESTS_FAULTS_SWEEP_H_
#define STOWAGE_TESTS_FAULTS_SWEEP_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/faults/faults.h"
#include "tests/support/temp_folder.h"

namespace stowage::faults {

// How a run of the command ended.
struct Ending {
  int exit_code = 0;  // 128 + the signal that ended it
  uint64_t calls = 0;
  uint64_t failed = 0;
  // Blocks of memory and open files that are left, if the command has ended by
  // itself. After WarmUp none should be.
  int64_t leaked_blocks = 0;
  int64_t leaked_descriptors = 0;
  std::string out;
  std::string err;
  // Content by path, of the folder; that of an empty folder, whose path ends
  // with a slash, is empty.
  std::map<std::string, std::string> files;
};

class SweepTest : public TempFolderTest {
 protected:
  // Runs the command once in a folder of its own, so that what is made only
  // once exists.
  void WarmUp(const std::vector<std::string>& arguments,
              const std::map<std::string, std::string>& files) const;

  // Runs `stowage ARGUMENTS` in the folder, which has `files` in the beginning.
  // Temporary files are made in its folder tmp.
  Ending Run(const std::vector<std::string>& arguments,
             const std::map<std::string, std::string>& files,
             const Fault& fault) const;

 private:
  std::string MakeFolder(const std::string& folder,
                         const std::map<std::string, std::string>& files) const;
};

// Which of `calls` calls shall fail: all if they are few, else the first and
// the last ones and some in between.
std::vector<uint64_t> Sweep(uint64_t calls);

}  // namespace stowage::faults

#endif  // STOWAGE_TESTS_FAULTS_SWEEP_H_
