/* SPDX-License-Identifier: Apache-2.0 */
/* Uses the recorder in a program in C99. The argument of the program is the
 * file to write. */
#include <stdio.h>

#include "stowage/recorder.h"

int main(int count, char** arguments) {
  stowage_recorder* recorder;
  if (count != 2) return 2;
  remove(arguments[1]);
  recorder = stowage_recorder_open(arguments[1]);
  if (recorder == NULL) return 1;
  stowage_recorder_on_alloc(recorder, 1, 4096, 64, 0);
  stowage_recorder_on_use(recorder, 1, STOWAGE_RECORDER_WRITE);
  stowage_recorder_step(recorder);
  stowage_recorder_on_free(recorder, 1);
  return stowage_recorder_close(recorder);
}
