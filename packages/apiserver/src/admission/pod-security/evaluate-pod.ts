// What a level of pod security, in its version, forbids about a pod: baseline's checks first, then
// those of restricted, each sorted by id. Pure.
// Upstream: k8s.io/pod-security-admission/policy (registry.go, checks.go).
import { compareBytewise } from "homeostat/api";
import { hostChecks } from "./checks/baseline-host.ts";
import { profileChecks } from "./checks/baseline-profiles.ts";
import type { CheckedPod, CheckPod, VersionedCheck, Violation } from "./checks/pod-check.ts";
import { restrictedChecks } from "./checks/restricted.ts";
import type { LevelVersion } from "./pod-security-policy.ts";

const byId = (a: VersionedCheck, b: VersionedCheck): number => compareBytewise(a.id, b.id);
const baseline = [...hostChecks, ...profileChecks].toSorted(byId);
const restricted = restrictedChecks.toSorted(byId);

/** The violations, in the order of messages; empty for a pod that is allowed. */
export function evaluatePod(by: LevelVersion, pod: CheckedPod): readonly Violation[] {
  return checksOf(by).flatMap((check) => check(pod) ?? []);
}

/** `hostPort (container "a" uses hostPort 80), privileged (…)`. */
export const formatDetails = (violations: readonly Violation[]): string =>
  violations.map(({ reason, detail }) => `${reason} (${detail})`).join(", ");

/** `hostPort, privileged`. */
export const formatReasons = (violations: readonly Violation[]): string =>
  violations.map(({ reason }) => reason).join(", ");

function checksOf({ level, version }: LevelVersion): readonly CheckPod[] {
  if (level === "privileged") return [];
  const pick = (checks: readonly VersionedCheck[]): readonly CheckPod[] =>
    checks.flatMap((check) => at(check, version.minor) ?? []);
  if (level === "baseline") return pick(baseline);
  const replaced = restricted
    .filter((check) => at(check, version.minor))
    .flatMap(({ overrides }) => overrides ?? []);
  return [...pick(baseline.filter(({ id }) => !replaced.includes(id))), ...pick(restricted)];
}

/** The check as it is in a version; undefined before its first. */
const at = ({ versions }: VersionedCheck, minor: number): CheckPod | undefined =>
  versions.findLast(([from]) => from <= minor)?.[1];
