// SPDX-License-Identifier: Apache-2.0
// Defines the module, and the type of the objects behind its memoryviews.
#include "src/python/native/native.h"

// The tables of Python store function pointers as object pointers. -Wpedantic
// would warn about this conversion.
#pragma GCC diagnostic ignored "-Wpedantic"

// ---- Views of the memory of a solution, a file or an object of bytes

typedef struct {
  PyObject_HEAD PyObject* owner;
  const void* data;
  const char* format;
  Py_ssize_t item_size;
  Py_ssize_t shape[2];
  Py_ssize_t strides[2];
  int dimensions;
} array;

static void array_dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  Py_XDECREF(((array*)self)->owner);
  PyObject_Free(self);
  Py_DECREF(type);
}

static int array_get_buffer(PyObject* object, Py_buffer* view, int flags) {
  array* self = (array*)object;
  view->obj = NULL;
  if (flags & PyBUF_WRITABLE) {
    PyErr_SetString(PyExc_BufferError, "plans are read-only");
    return -1;
  }
  view->obj = Py_NewRef(object);
  view->buf = (void*)self->data;
  view->readonly = 1;
  view->itemsize = self->item_size;
  view->len = self->shape[0] * self->strides[0];
  view->ndim = self->dimensions;
  view->format = flags & PyBUF_FORMAT ? (char*)self->format : NULL;
  view->shape = flags & PyBUF_ND ? self->shape : NULL;
  view->strides =
      (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? self->strides : NULL;
  view->suboffsets = NULL;
  view->internal = NULL;
  return 0;
}

static PyType_Slot array_slots[] = {
    {Py_tp_dealloc, (void*)&array_dealloc},
    {Py_bf_getbuffer, (void*)&array_get_buffer},
    {Py_tp_doc, "Numbers that an object of the library holds."},
    {0, NULL}};

static PyType_Spec array_spec = {
    "stowage._native.Array", (int)sizeof(array), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, array_slots};

PyObject* new_array(module_state* state, PyObject* owner, const void* data,
                    size_t count, size_t columns, char format) {
  static const double nothing = 0;
  array* made = PyObject_New(array, (PyTypeObject*)state->array_type);
  if (made == NULL) return NULL;
  made->owner = Py_NewRef(owner);
  made->data = data == NULL ? (const void*)&nothing : data;
  made->format = format == 'Q' ? "Q" : format == 'I' ? "I" : "B";
  made->item_size = format == 'Q' ? 8 : format == 'I' ? 4 : 1;
  made->dimensions = columns == 0 ? 1 : 2;
  const size_t width = columns == 0 ? 1 : columns;
  made->shape[0] = (Py_ssize_t)(count / width);
  made->shape[1] = (Py_ssize_t)width;
  made->strides[0] = (Py_ssize_t)width * made->item_size;
  made->strides[1] = made->item_size;
  PyObject* view = PyMemoryView_FromObject((PyObject*)made);
  Py_DECREF(made);
  return view;
}

// ---- The end of Python

// Cancels every search, and waits until no search can call Python any more. A
// thread that tries to acquire the GIL after Python has been finalized would be
// terminated or blocked in the middle of C++ code.
static PyObject* native_close(PyObject* module, PyObject* unused) {
  (void)unused;
  module_state* state = PyModule_GetState(module);
  state->is_closing = 1;
  stowage_cancel(state->closing);
  PyObject* time = PyImport_ImportModule("time");
  while (time != NULL && state->callers > 0) {
    PyObject* slept = PyObject_CallMethod(time, "sleep", "d", 0.001);
    if (slept == NULL) Py_CLEAR(time);
    Py_XDECREF(slept);
  }
  if (time == NULL) return NULL;
  Py_DECREF(time);
  Py_RETURN_NONE;
}

// Resets the module in a child process. The child does not have the searches of
// other threads, and its main thread may differ from the main thread of the
// parent.
static PyObject* native_forget(PyObject* module, PyObject* unused) {
  (void)unused;
  module_state* state = PyModule_GetState(module);
  state->calls = 0;
  state->callers = 0;
  state->main_thread = 0;
  Py_RETURN_NONE;
}

// ---- The module

static PyMethodDef functions[] = {
    {"create", (PyCFunction)(void (*)(void))native_create, METH_FASTCALL, NULL},
    {"pack", native_pack, METH_VARARGS, NULL},
    {"problem_for_all", native_problem_for_all, METH_O, NULL},
    {"info", native_info, METH_O, NULL},
    {"lists", native_lists, METH_O, NULL},
    {"bound", native_bound, METH_O, NULL},
    {"fingerprint", native_fingerprint, METH_O, NULL},
    {"describe", native_describe, METH_VARARGS, NULL},
    {"solve", (PyCFunction)(void (*)(void))native_solve, METH_FASTCALL, NULL},
    {"replan", (PyCFunction)(void (*)(void))native_replan, METH_FASTCALL, NULL},
    {"cache", native_cache, METH_VARARGS, NULL},
    {"cache_get", (PyCFunction)(void (*)(void))native_cache_get, METH_FASTCALL,
     NULL},
    {"cache_improve", (PyCFunction)(void (*)(void))native_cache_improve,
     METH_FASTCALL, NULL},
    {"cache_load", native_cache_load, METH_VARARGS, NULL},
    {"cache_save", native_cache_save, METH_VARARGS, NULL},
    {"cache_stats", native_cache_stats, METH_O, NULL},
    {"summary", native_summary, METH_O, NULL},
    {"plan", native_plan, METH_O, NULL},
    {"texts", native_texts, METH_O, NULL},
    {"solution", native_solution, METH_VARARGS, NULL},
    {"verify", native_verify, METH_VARARGS, NULL},
    {"parse", native_parse, METH_VARARGS, NULL},
    {"file_plan", native_file_plan, METH_VARARGS, NULL},
    {"write", native_write, METH_VARARGS, NULL},
    {"certificate", native_certificate, METH_VARARGS, NULL},
    {"check", native_check, METH_VARARGS, NULL},
    {"stack", native_stack, METH_VARARGS, NULL},
    {"stack_info", native_stack_info, METH_O, NULL},
    {"stack_offsets", native_stack_offsets, METH_VARARGS, NULL},
    {"stack_table", native_stack_table, METH_O, NULL},
    {"dynamic", native_dynamic, METH_VARARGS, NULL},
    {"dynamic_sizes", native_dynamic_sizes, METH_VARARGS, NULL},
    {"dynamic_plan", native_dynamic_plan, METH_VARARGS, NULL},
    {"strategies", native_strategies, METH_NOARGS, NULL},
    {"families", native_families, METH_NOARGS, NULL},
    {"sample", native_sample, METH_VARARGS, NULL},
    {"test", native_test, METH_VARARGS, NULL},
    {"close", native_close, METH_NOARGS, NULL},
    {"forget", native_forget, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL}};

static int module_exec(PyObject* module) {
  module_state* state = PyModule_GetState(module);
  state->closing = stowage_cancel_token_new();
  if (state->closing == NULL) {
    PyErr_NoMemory();
    return -1;
  }
  state->array_type = PyType_FromModuleAndSpec(module, &array_spec, NULL);
  if (state->array_type == NULL) return -1;
  return PyModule_AddStringConstant(module, "version",
                                    stowage_version_string());
}

static int module_traverse(PyObject* module, visitproc visit, void* arg) {
  module_state* state = PyModule_GetState(module);
  Py_VISIT(state->array_type);
  return 0;
}

static int module_clear(PyObject* module) {
  module_state* state = PyModule_GetState(module);
  Py_CLEAR(state->array_type);
  return 0;
}

// If a thread is still searching with the token, the token is never freed.
static void module_free(void* module) {
  module_state* state = PyModule_GetState(module);
  module_clear(module);
  if (state->calls == 0) stowage_cancel_token_free(state->closing);
}

static PyModuleDef_Slot module_slots[] = {{Py_mod_exec, (void*)&module_exec},
                                          {0, NULL}};

static PyModuleDef module_definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "stowage._native",
    .m_doc = "The native part of stowage: use the modules beside it.",
    .m_size = sizeof(module_state),
    .m_methods = functions,
    .m_slots = module_slots,
    .m_traverse = module_traverse,
    .m_clear = module_clear,
    .m_free = module_free};

PyMODINIT_FUNC PyInit__native(void);
PyMODINIT_FUNC PyInit__native(void) {
  return PyModuleDef_Init(&module_definition);
}
