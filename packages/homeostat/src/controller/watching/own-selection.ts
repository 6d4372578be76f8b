// A selection that a reconcile makes as it runs: without a namespace it is in that of its object.
import type { Kind } from "../../api/kind.ts";
import type { KubeObject } from "../../api/object-meta.ts";
import { describeValue } from "../../util/describe-error.ts";
import { HomeostatError } from "../../util/homeostat-error.ts";
import { isOptions, unknownOptions } from "../../util/option-faults.ts";
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
export function checkOwnSelection(kind: unknown, options: unknown = {}, call = "watch"): void {
  const problem = problemOf(kind, options, call);
  if (problem === undefined) return;
  throw new HomeostatError("ERR_WATCH_SELECTION", problem, {
    hint: `pass a kind, and which of its objects: ${call}(kind, { namespace, labels, fields })`,
  });
}

function problemOf(kind: unknown, options: unknown, call: string): string | undefined {
  if (!isKind(kind))
    return `${call}(…): the first argument is ${describeValue(kind)}, expected a kind`;
  const title = `${call}(${kind.kind})`;
  if (!isOptions(options))
    return `${title}: the second argument is ${describeValue(options)}, expected a selection`;
  const [unknown] = unknownOptions(options, ["namespace", "labels", "fields"]);
  if (unknown !== undefined) return `${title}: ${unknown}`;
  const { namespace } = options;
  if (namespace === undefined || typeof namespace === "string") return undefined;
  return `${title}: namespace is ${describeValue(namespace)}, expected a string`;
}
