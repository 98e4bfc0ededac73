/* SPDX-License-Identifier: Apache-2.0 */
/* Starts the trace of glibc (mtrace), with which tests compare the recorder.
 * LD_PRELOAD must name this library and libc_malloc_debug.so.0. */
#include <mcheck.h>

__attribute__((constructor)) static void BeginTrace(void) { mtrace(); }
