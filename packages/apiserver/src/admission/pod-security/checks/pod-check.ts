// The contract of a check of pod security, and how checks word what they forbid.
// Upstream: k8s.io/pod-security-admission/policy (checks.go, helpers.go, visitor.go).
import { compareBytewise, type Decoded } from "homeostat/api";
import type { Container, PodSpec, SecurityContext } from "homeostat/k8s/core/v1";

/** What is checked of a pod or of a pod template. */
export interface CheckedPod {
  readonly annotations: Readonly<Record<string, string>>;
  readonly spec: Decoded<PodSpec>;
}

/** What a check forbids, e.g. `hostPort` with `container "a" uses hostPort 80`. */
export interface Violation {
  readonly reason: string;
  readonly detail: string;
}

/** undefined allows the pod. */
export type CheckPod = (pod: CheckedPod) => Violation | undefined;

/** A check, as it is from each minor version on, oldest first. */
export interface VersionedCheck {
  readonly id: string;
  readonly versions: readonly (readonly [fromMinor: number, check: CheckPod])[];
  /** Checks of baseline that this restricted one replaces. */
  readonly overrides?: readonly string[];
}

/** Init, plain and ephemeral containers. */
export const containersOf = ({ spec }: CheckedPod): readonly Decoded<Container>[] => [
  ...(spec.initContainers ?? []),
  ...(spec.containers ?? []),
  ...((spec.ephemeralContainers ?? []) as readonly Decoded<Container>[]),
];

/** Names of the containers whose security context `isBad` holds of. */
export const namesWhere = (
  pod: CheckedPod,
  isBad: (security: Decoded<SecurityContext>) => boolean,
): readonly string[] =>
  containersOf(pod)
    .filter(({ securityContext }) => isBad(securityContext ?? {}))
    .map(({ name }) => name ?? "");

/** `"a", "b"`; the texts are not escaped. */
export const joinQuoted = (texts: readonly string[]): string =>
  texts.length ? `"${texts.join('", "')}"` : "";

/** Each text once, sorted. */
export const sortedSet = (texts: readonly string[]): readonly string[] =>
  [...new Set(texts)].toSorted(compareBytewise);

export const plural = (word: string, { length }: readonly unknown[]): string =>
  length === 1 ? word : `${word}s`;

/** The verb of one or several things. */
export const uses = ({ length }: readonly unknown[]): string => (length === 1 ? "uses" : "use");

/** `container "a"`, `containers "a", "b"`. */
export const formatContainers = (names: readonly string[]): string =>
  `${plural("container", names)} ${joinQuoted(names)}`;

/** `pod and container "a"`: what sets a bad value. Empty if nothing does. */
export function formatSetters(isPod: boolean, containers: readonly string[]): string {
  const setters = [
    ...(isPod ? ["pod"] : []),
    ...(containers.length ? [formatContainers(containers)] : []),
  ];
  return setters.join(" and ");
}

/** The check does not apply to pods of Windows, whose validation refuses what it asks for. */
export const exceptOnWindows =
  (check: CheckPod): CheckPod =>
  (pod) =>
    pod.spec.os?.name === "windows" ? undefined : check(pod);

/** The check does not apply to pods in a user namespace. */
export const exceptInUserNamespace =
  (check: CheckPod): CheckPod =>
  (pod) =>
    pod.spec.hostUsers === false ? undefined : check(pod);
