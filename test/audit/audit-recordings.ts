// Where the audit policies of these tests and the recorded events are.
import { fileURLToPath } from "node:url";

/** `full` records everything, `mixed` has rules of every sort. */
export const policyNames = ["full", "mixed"] as const;

export type PolicyName = (typeof policyNames)[number];

const inTestdata = (file: string): string =>
  fileURLToPath(new URL(`testdata/${file}`, import.meta.url));

export const policyPath = (name: PolicyName): string => inTestdata(`${name}-policy.yaml`);
/** Events of the real kube-apiserver, one a line, without what differs from run to run. */
export const recordingPath = (name: PolicyName): string => inTestdata(`${name}-events.jsonl`);
