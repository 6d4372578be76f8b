// What the calls of a reconcile's client are named in messages, and the options that they take.
import { assertKind } from "../api/check-kind.ts";
import type { Kind } from "../api/kind.ts";
import type { Key } from "../client/client.ts";
import { checkOptions } from "../util/call-options.ts";
import { describeValue } from "../util/describe-error.ts";

/** @throws ERR_KIND_ARGUMENT */
export function nameOf(kind: Kind): string {
  assertKind(kind, "calling context.client");
  return kind.kind;
}

/** Of what may be no name. */
export const nameText = (name: unknown): string =>
  typeof name === "string" ? name : describeValue(name);

/** E.g. `Box large`. @throws ERR_KIND_ARGUMENT */
export function title(kind: Kind, address: Key | undefined): string {
  const name: unknown = typeof address === "string" ? address : address?.name;
  return `${nameOf(kind)} ${nameText(name)}`;
}

const known = {
  list: { namespace: "a string", labelSelector: "a string", fieldSelector: "a string" },
  apply: { set: "a string" },
  patch: { subresource: "a string" },
  delete: { uid: "a string", propagationPolicy: "a string", gracePeriodSeconds: "a number" },
} as const;

/** @throws ERR_ARGUMENT */
export const check = (call: string, options: unknown, method: keyof typeof known): void =>
  checkOptions(`client.${call}`, options, known[method]);
