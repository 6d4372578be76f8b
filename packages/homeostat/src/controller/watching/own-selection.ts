// A selection that a reconcile makes as it runs: without a namespace it is in that of its object.
import type { Kind } from "../../api/kind.ts";
import type { KubeObject } from "../../api/object-meta.ts";
import { describeValue } from "../../util/describe-error.ts";
import { HomeostatError } from "../../util/homeostat-error.ts";
import { unknownOptions } from "../../util/option-faults.ts";
import { isKind } from "../../api/check-kind.ts";
import { type CompiledSelection, compileSelectionOf, type Selection } from "./selection.ts";

/** A namespace of "" selects all. @throws ERR_WATCH_SELECTION */
export function compileOwnSelection(
  kind: Kind,
  { metadata }: KubeObject,
  options: Selection = {},
): CompiledSelection {
  const { namespace = metadata.namespace } = options;
  const isAll = kind.scope === "Cluster" || namespace === "";
  return compileSelectionOf(kind, { ...options, namespace: isAll ? undefined : namespace });
}

/** Checks what the user's code passes. @throws ERR_WATCH_SELECTION */
export function checkOwnSelection(kind: unknown, options: unknown = {}): void {
  const problem = problemOf(kind, options);
  if (problem === undefined) return;
  throw new HomeostatError("ERR_WATCH_SELECTION", problem, {
    hint: "pass a kind, and which of its objects: watch(kind, { namespace, labels, fields })",
  });
}

function problemOf(kind: unknown, options: unknown): string | undefined {
  if (!isKind(kind))
    return `watch(…): the first argument is ${describeValue(kind)}, expected a kind`;
  const title = `watch(${kind.kind})`;
  if (typeof options !== "object" || options === null)
    return `${title}: the second argument is ${describeValue(options)}, expected a selection`;
  const [unknown] = unknownOptions(options, ["namespace", "labels", "fields"]);
  return unknown === undefined ? undefined : `${title}: ${unknown}`;
}
