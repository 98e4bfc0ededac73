/* SPDX-License-Identifier: Apache-2.0 */
/* Turns on the trace of glibc (mtrace), as an oracle for tests of the recorder.
 * LD_PRELOAD must name this library and libc_malloc_debug.so.0. */
#include <mcheck.h>

__attribute__((constructor)) static void BeginTrace(void) { mtrace(); }
