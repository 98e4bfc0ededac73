#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Breaks the rules of delegation one by one, and reports which test fails.

Each rule is broken by a hand-written change at one place of the interpreter,
for example by omitting a copy or skipping an undo. For random changes, see
mutate.py. The table in docs/mutants.md is the output of

    python3 tests/mutate/delegation.py
"""

import os
import subprocess
import sys
from collections import namedtuple

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
import mutate  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
H = "src/harness/"
Rule = namedtuple("Rule", "rule path old new")

RULES = [
    Rule("claims are nodes of the execution plan", H + "claim_nodes.cc",
         "if (plan.count(id) == 0) {", "if (false) {"),
    Rule("nodes of another delegate are not claimed", H + "claim_nodes.cc",
         'why = "which another delegate runs";', "continue;"),
    Rule("no node is claimed twice", H + "claim_nodes.cc",
         "!seen.insert(id).second", "(seen.insert(id), false)"),
    Rule("limits apply, and the graph is partitioned again", H + "claim_nodes.cc",
         "claims_ = *std::move(limited);", ""),
    Rule("users of one variable keep their order", H + "claim_nodes.cc",
         "if (variables.count(t) > 0) described.has_side_effects = true;", ""),
    Rule("variables that are outputs are given", H + "claim_nodes.cc",
         "absl::c_replace(described.outputs, static_cast<int>(t), -1);", ""),
    Rule("a partition writes the variables that its nodes write", H + "claim_nodes.cc",
         "  AddWrittenVariables(&*parts);\n", "  if (parts->empty()) AddWrittenVariables(&*parts);\n"),
    Rule("constants of float16 are inputs", H + "claim_nodes.cc",
         "if (op) t = static_cast<int>(graph_.spec().operators[*op].inputs[0]);", ""),
    Rule("DEQUANTIZE stays where others need it and it is not claimed", H + "claim_nodes.cc",
         "if (others->second == nullptr || float16_.count(id) == 0) return false;",
         "if (others->second == nullptr) return false;"),
    Rule("the result of DEQUANTIZE is an output where others need it", H + "claim_nodes.cc",
         "        InsertSorted(spec.outputs[0], &others->second->outputs);\n", ""),
    Rule("steps that constants determine run once", H + "running_graph.cc",
         "if (delegated == nullptr) return NodeOf(task).is_folded;",
         "if (delegated == nullptr || true) return NodeOf(task).is_folded;"),
    Rule("one that fails in such a step goes alone", H + "delegated_graph.cc",
         "auto rejected = FindFailed(status);", "auto rejected = applied_.end();"),
    Rule("DEQUANTIZE is not claimed for itself", H + "claim_nodes.cc",
         "  if (info_.reads_float16_constants) {\n", "  if (false) {\n"),
    Rule("a node knows the effects of those it replaces", H + "claim_nodes.cc",
         "if (node.delegated != nullptr && node.delegated->has_side_effects) {\n    return true;",
         "if (node.delegated != nullptr) {\n    return false;"),
    Rule("steps are checked", H + "replace_nodes.cc",
         "if (status.ok()) status = CheckSteps(*node, view);", ""),
    Rule("no shape becomes dynamic behind a static delegate", H + "delegated_graph.cc",
         "replace.stays_static = HasStaticDelegate();", ""),
    Rule("shapes are not asked of operators that may come back", H + "run_delegated.cc",
         "if (node.info.wants_shapes && !knows_shapes) {",
         "if (node.info.wants_shapes && (!knows_shapes || true)) {"),
    Rule("tensors inside a partition have no data", H + "arena_memory.cc",
         "      tensor.data = nullptr;\n      continue;\n", "      continue;\n"),
    Rule("static delegates need static shapes", H + "delegated_graph.cc",
         "if (!info.allows_dynamic_tensors && dynamic) {", "if (false) {"),
    Rule("a failed delegate is undone", H + "delegated_graph.cc",
         "  graph_.Restore(before);\n", ""),
    Rule("its buffers are freed with it", H + "delegated_graph.cc",
         "  graph_.buffers().FreeAllOf(last.delegate.get());\n", ""),
    Rule("a failed allocation is undone, too", H + "graph_session.cc",
         "    status = AndThen(status, delegated_.UndoLast(before));\n", ""),
    Rule("a delegate that cannot be prepared after another was undone is rejected", H + "delegated_graph.cc",
         "return status.ok() ? status : GoOnWithoutFailed(status);", "return absl::OkStatus();"),
    Rule("operators that cannot be prepared after it have no memory", H + "graph_session.cc",
         "if (!graph().is_prepared() || !restored.ok()) ForgetMemory();", ""),
    Rule("delegates that are not reached stay for the next time", H + "delegated_graph.cc",
         "      waiting_.push_back(std::move(applied));\n", ""),
    Rule("each delegate is applied once", H + "delegated_graph.cc",
         "if (applied == nullptr) return absl::OkStatus();", "return absl::OkStatus();"),
    Rule("static delegates are applied anew after a resize", H + "delegated_graph.cc",
         "if (HasStaticDelegate() || !waiting_.empty()) {", "if (!waiting_.empty()) {"),
    Rule("static kernels are prepared once", H + "delegated_graph.cc",
         "if (StaysPrepared()) return absl::OkStatus();", ""),
    Rule("one that fails after a resize goes alone", H + "delegated_graph.cc",
         "if (!failed.ok()) failed = GoOnWithoutFailed(failed);", ""),
    Rule("one that fails after a resize is reported", H + "delegated_graph.cc",
         "    const absl::Status status = Attach(std::move(applied));\n    if (!status.ok()) failed.Update(Reject(name, rank, status));",
         "    const absl::Status status = Attach(std::move(applied));\n    if (!status.ok()) Reject(name, rank, status).IgnoreError();"),
    Rule("delegates survive a shape that does not fit", H + "graph_session.cc",
         "if (!has_memory() && delegated_.RestoreDelegates(std::move(before))) {",
         "if (false) {"),
    Rule("delegates make room for the graph", H + "graph_session.cc",
         "    if (!rejected) break;\n", "    break;\n"),
    Rule("those of the options are applied once", H + "delegated_graph.cc",
         "std::exchange(requests_, {})", "requests_"),
    Rule("buffers are freed when delegates are removed or applied anew", H + "delegated_graph.cc",
         "  graph_.buffers().FreeAll();\n", ""),
    Rule("nothing is called from within itself", H + "graph_session.cc",
         "if (!is_running_) return absl::OkStatus();", "return absl::OkStatus();"),
    Rule("a resize to the same shape does nothing", H + "graph_session.cc",
         "tensor(spec().inputs[i]).shape == shape) {", "false) {"),
    Rule("the arena moves where that is asked for", H + "graph_run.cc",
         "if (shared_.options.moves_arena) status = MoveArenas();", ""),
    Rule("stale inputs are copied", H + "buffered_tensors.cc",
         "    const absl::Status status = CopyToMemory(t, graph, owner);\n    if (status.ok()) continue;\n",
         "    const absl::Status status = absl::OkStatus();\n    if (status.ok()) continue;\n"),
    Rule("and not for the delegate that has them", H + "buffered_tensors.cc",
         "buffers.HandleOf(t, node->delegate) >= 0)", "false)"),
    Rule("stale outputs are copied", H + "graph_run.cc",
         "status = MakeReadable(graph_.spec().outputs, &graph_, &failed_delegate_);", ""),
    Rule("unless they may stay", H + "graph_run.cc",
         "if (status.ok() && !keeps_buffers) {", "if (status.ok()) {"),
    Rule("what is written is not stale", H + "graph_run.cc",
         "    MarkOutputsWritten(task, &graph_);\n  }\n", "  }\n"),
    Rule("a failed copy leaves the tensor stale", H + "delegate_buffers.cc",
         "  if (!status.ok()) {\n    return WithDelegate(status, DelegateName(*buffer.delegate));",
         "  buffer.is_stale = false;\n  if (!status.ok()) {\n    return status;"),
    Rule("a copied tensor is not stale", H + "delegate_buffers.cc",
         "  ++copies_[buffer.delegate].from_buffers;\n  buffer.is_stale = false;",
         "  ++copies_[buffer.delegate].from_buffers;"),
    Rule("a lost tensor is an error", H + "delegate_buffers.cc",
         "  if (buffer.is_lost) {", "  if (false) {"),
    Rule("a replaced buffer is freed", H + "delegate_buffers.cc",
         "  if (buffer.handle != handle) FreeHandle(&buffer);\n", ""),
    Rule("a buffer is freed once", H + "delegate_buffers.cc",
         "  buffer->handle = -1;\n", ""),
    Rule("one buffer is one tensor's", H + "delegate_buffers.cc",
         "if (other != nullptr && *other != tensor) {", "if (false) {"),
    Rule("nobody takes a buffer of another", H + "delegate_buffers.cc",
         "if (buffer.handle >= 0 && buffer.delegate != delegate) {", "if (false) {"),
    Rule("allocation forgets what buffers held", H + "allocate_graph.cc",
         "  graph->buffers().ForgetContents();\n", ""),
    Rule("an intermediate tensor is not copied over another", H + "buffered_tensors.cc",
         "MayBeOverwritten(tensor, options, *graph)) {", "false) {"),
    Rule("what is inside a partition cannot be read", H + "buffered_tensors.cc",
         "if (!inside.empty() &&\n", "if (false &&\n"),
    Rule("the fallback keeps variables", H + "saved_state.cc",
         "spec.tensors[t].is_variable || absl::c_linear_search(spec.inputs, t)",
         "absl::c_linear_search(spec.inputs, t)"),
    Rule("the fallback keeps inputs", H + "saved_state.cc",
         "spec.tensors[t].is_variable || absl::c_linear_search(spec.inputs, t)",
         "spec.tensors[t].is_variable"),
    Rule("the fallback keeps resources", H + "saved_state.cc",
         "return shared->resources.Restore(resources_);", "return absl::OkStatus();"),
    Rule("the fallback keeps variables in buffers", H + "graph_session.cc",
         "MakeReadable(StateTensors(spec()), &graph())", "absl::OkStatus()"),
    Rule("the fallback writes only what has changed", H + "saved_state.cc",
         "std::memcmp(tensor.data, bytes.data(), bytes.size()) == 0", "false"),
    Rule("the fallback hides no other errors", H + "graph_session.cc",
         "if (status.ok() || culprit == nullptr) return status;", "if (status.ok()) return status;"),
    Rule("custom memory is checked when it is exchanged", H + "graph_session.cc",
         "    absl::Status status = CheckCustomMemory(graph());\n", "    absl::Status status;\n"),
    Rule("custom memory is checked when memory is allocated", H + "allocate_graph.cc",
         "if (status.ok()) status = CheckCustomMemory(graph);", ""),
    Rule("custom memory has spare bytes", H + "custom_memory.cc",
         "const size_t spare = SpareBytesOf(graph, index);", "const size_t spare = 0;"),
    Rule("custom memory is aligned", H + "custom_memory.cc",
         "if (check_alignment && address % kBlockAlignment != 0) {",
         "if (false) {"),
    Rule("custom variables are the caller's to reset", H + "allocate_graph.cc",
         "tensor.storage == Storage::kCustom) {\n      continue;", "false) {\n      continue;"),
    Rule("custom memory has a shape that is known", H + "run_node.cc",
         "if (status.ok()) status = CheckCustomOutputs(spec_, *node.spec, tensors_);", ""),
    Rule("arenas have spare bytes", H + "arena_memory.cc",
         "std::max(guard_bytes_, tensors.spare_bytes())", "guard_bytes_"),
    Rule("a workspace has the alignment that was asked for", H + "run_delegated.cc",
         "(address + workspace.alignment - 1) & ~(workspace.alignment - 1);", "address;"),
    Rule("a workspace is below the memory limit", H + "run_delegated.cc",
         "if (bytes > limit || alignment > limit) {", "if (false) {"),
    Rule("a workspace is live in its steps", H + "running_graph.cc",
         "if (workspace.first_step <= step && step <= workspace.last_step) {",
         "if (workspace.first_step == step) {"),
    Rule("Read refuses what is not declared", H + "run_delegated.cc",
         "  if (!IsTensor(tensor) || (!IsRead(tensor) && !IsWritten(tensor))) {\n    return Refuse(tensor, \"read\");\n  }\n  const Tensor&",
         "  if (!IsTensor(tensor)) {\n    return Refuse(tensor, \"read\");\n  }\n  const Tensor&"),
    Rule("custom memory is checked when a size is computed", H + "computed_shapes.cc",
         "absl::Status status = CheckCustomMemory(*graph);", "absl::Status status;"),
    Rule("what fails to be prepared in a run is undone", H + "graph_run.cc",
         "  if (!status.ok()) ForgetComputed(&graph_, &plan_);\n", ""),
    Rule("temporaries of the last run are gone", H + "running_graph.cc",
         "    Node& node = nodes_[tasks_[task].node];\n    node.temporaries.clear();\n",
         "    Node& node = nodes_[tasks_[task].node];\n"),
    Rule("calls of the other phase are refused", H + "run_delegated.cc",
         "  if (phase_ == expected) return", "  if (phase_ == expected || true) return"),
    Rule("a dynamic output has a shape after Invoke", H + "run_node.cc",
         "if (output.storage != Storage::kDynamic || output.data", "if (true || output.data"),
    Rule("readers of another shape are prepared again", H + "replace_nodes.cc",
         "if (tensors_[outputs[i]].shape == before[i]) continue;", "continue;"),
    Rule("rollback takes the delegate from all subgraphs", H + "session.cc",
         "status = AndThen(status, graphs_[--i]->RemoveLastDelegate());", "--i;"),
]


def check_rules(root):
    """Returns a complaint for each rule without exactly one match."""
    complaints = []
    for rule in RULES:
        with open(os.path.join(root, rule.path), encoding="utf-8") as file:
            count = file.read().count(rule.old)
        if count != 1:
            complaints.append(f"{rule.rule}: its text is {count} times in {rule.path}")
    return complaints


def mutation_of(root, rule):
    with open(os.path.join(root, rule.path), encoding="utf-8") as file:
        text = file.read()
    begin = text.index(rule.old)
    return mutate.Mutation(rule.path, text.count("\n", 0, begin) + 1, "rule", begin,
                           begin + len(rule.old), rule.new, rule.old)


def first_failure(program, tree):
    """Returns the first test that fails, or None if all tests pass."""
    try:
        done = subprocess.run([program, "--gtest_fail_fast"], cwd=tree, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, timeout=120, check=False)
    except subprocess.TimeoutExpired:
        return "time"
    if done.returncode == 0:
        return None
    running = "nothing"
    for line in done.stdout.decode(errors="replace").splitlines():
        if line.startswith("[ RUN      ] "):
            running = line.split()[3]
        if line.startswith("[  FAILED  ] "):
            return line.split()[3].rstrip(",")
    return running + " (crash)"


def main():
    complaints = check_rules(ROOT)
    if complaints:
        sys.exit("\n".join(complaints))
    with mutate.Copy(ROOT, os.path.join(ROOT, "build", "mutate")) as copy:
        copy.configure()
        tests = [t for t in copy.tests_of("harness") if t[0] == "delegation_test"]
        print("| rule | broken in | noticed by |\n|---|---|---|")
        for rule in RULES:
            copy.mutate(mutation_of(ROOT, rule))
            noticed = ("the compiler" if not copy.build(tests) else
                       first_failure(tests[0][1], copy.tree) or "NOBODY")
            print(f"| {rule.rule} | {os.path.basename(rule.path)} | `{noticed}` |", flush=True)


if __name__ == "__main__":
    main()
