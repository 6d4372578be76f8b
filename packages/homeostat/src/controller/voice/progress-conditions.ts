// The conditions Reconciling and Stalled, which kstatus, and with it kubectl wait and Helm, read:
// present while true, absent otherwise. Pure.
// Upstream: sigs.k8s.io/cli-utils/pkg/kstatus/README.md.
import { isObject, type JsonObject } from "../../api/json.ts";
import type { Kind } from "../../api/kind.ts";
import { hasStatus } from "../../api/resource/custom-resource-definition.ts";
import { definitionOfKind } from "../../api/resource/definition-of-kind.ts";
import type { StatusIntent } from "../status-intent.ts";
import type { Verdict } from "./verdict.ts";

const types = { reconciling: "Reconciling", stalled: "Stalled" } as const;
/** Longer messages are cut; the log has them in full. */
const maxMessage = 1024;

/** The types that the runtime keeps on objects of a kind: those that its controllers do not set. */
export function progressTypes(kind: Kind): readonly string[] {
  const definition = definitionOfKind(kind);
  if (!definition || !hasStatus(definition)) return [];
  return Object.values(types).filter((type) => !definition.conditions.includes(type));
}

/** The status that is there, and the part of it that this manager applied last. */
export interface AppliedStatus {
  readonly live: JsonObject;
  readonly prior: JsonObject;
}

/**
 * Adds the conditions of a verdict to what a run sets. Conditions of other managers stay: of two
 * controllers that are not done, one's are shown. The other gives up its share of them, because
 * fields that it owned would remain, without the others, when that one is done.
 */
export function setProgress(
  intent: StatusIntent,
  verdict: Verdict,
  kind: Kind,
  { live, prior }: AppliedStatus,
): void {
  for (const type of progressTypes(kind)) {
    const ours = conditionOf(prior, type);
    const isFree = ours ? isComplete(ours) : conditionOf(live, type) === undefined;
    if (isFree && verdict.is !== "current" && types[verdict.is] === type) {
      const { reason, message } = verdict;
      const text = message.length > maxMessage ? `${message.slice(0, maxMessage - 1)}…` : message;
      intent.conditions.set(type, { type, status: "True", reason, message: text });
    } else if (ours) intent.conditions.set(type, undefined);
  }
}

const conditionOf = ({ conditions }: JsonObject, type: string): JsonObject | undefined =>
  Array.isArray(conditions)
    ? conditions.filter((one) => isObject(one)).find((one) => one["type"] === type)
    : undefined;

/** False when another manager has taken over some of its fields. */
const isComplete = (condition: JsonObject): boolean =>
  condition["reason"] !== undefined && condition["message"] !== undefined;
