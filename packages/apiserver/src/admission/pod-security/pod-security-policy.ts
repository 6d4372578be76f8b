// The policy of a namespace: a level and a version each to enforce, audit and warn by, from its
// labels. Pure.
// Upstream: k8s.io/pod-security-admission/api (helpers.go, constants.go).
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import type { AdmissionRequest } from "../../apimachinery/rest/admission.ts";
import type { FieldError } from "../../apimachinery/errors/field-error.ts";

const levels = ["privileged", "baseline", "restricted"] as const;

/** Sorted by strictness. */
export type Level = (typeof levels)[number];

/** A version of the policy; that of `latest` is infinite. */
export interface PolicyVersion {
  /** `v1.30` or `latest`. */
  readonly text: string;
  readonly minor: number;
}

export interface LevelVersion {
  readonly level: Level;
  readonly version: PolicyVersion;
}

export const modes = ["enforce", "audit", "warn"] as const;
type Mode = (typeof modes)[number];

export type Policy = Readonly<Record<Mode, LevelVersion>>;

export const labelPrefix = "pod-security.kubernetes.io/";
export const latest: PolicyVersion = { text: "latest", minor: Number.POSITIVE_INFINITY };

/** Annotates the audit event: `enforce-policy`, `audit-violations`, `exempt` or `error`. */
export const annotate = ({ audit }: AdmissionRequest, key: string, value: string): void =>
  audit?.annotate(`${labelPrefix}${key}`, value);

const privileged: LevelVersion = { level: "privileged", version: latest };
/** The policy of namespaces without labels, unless configured. */
export const privilegedPolicy: Policy = {
  enforce: privileged,
  audit: privileged,
  warn: privileged,
};

/** e.g. `restricted:v1.30`. */
export const formatLevelVersion = ({ level, version }: LevelVersion): string =>
  `${level}:${version.text}`;

/** Negative if `a` is less strict than `b`. */
export const compareLevels = (a: Level, b: Level): number => levels.indexOf(a) - levels.indexOf(b);

export const isSameLevelVersion = (a: LevelVersion, b: LevelVersion): boolean =>
  a.level === b.level && a.version.text === b.version.text;

export const isFullyPrivileged = (policy: Policy): boolean =>
  modes.every((mode) => policy[mode].level === "privileged");

/** undefined for a text that is no level. */
export const parseLevel = (text: string): Level | undefined =>
  levels.find((level) => level === text);

/** undefined for a text that is neither `latest` nor `v1.N`. */
export function parseVersion(text: string): PolicyVersion | undefined {
  if (text === "latest") return latest;
  const minor = /^v1\.(0|[1-9][0-9]*)$/.exec(text)?.[1];
  const fits = minor !== undefined && BigInt(minor) < 1n << 63n;
  return fits ? { text, minor: Number(minor) } : undefined;
}

/** A policy, and what is wrong with the labels that it was made from. */
export interface ReadPolicy {
  readonly policy: Policy;
  readonly errors: readonly FieldError[];
}

type Labels = Readonly<Record<string, string>>;

/**
 * Reads the labels. A malformed level to enforce means restricted, one to audit or warn by
 * privileged, a malformed version the latest.
 */
export function readPolicy(labels: Labels, defaults: Policy): ReadPolicy {
  const errors: FieldError[] = [];
  const read = <T>(name: string, how: Reading<T>): T => readLabel(labels, name, how, errors);
  const at = (mode: Mode, fallback: Level): LevelVersion => ({
    level: read(mode, {
      unset: defaults[mode].level,
      parse: parseLevel,
      fallback,
      detail: `must be one of ${levels.join(", ")}`,
    }),
    version: read(`${mode}-version`, {
      unset: defaults[mode].version,
      parse: parseVersion,
      fallback: latest,
      detail: 'must be "latest" or "v1.x"',
    }),
  });
  const policy = {
    enforce: at("enforce", "restricted"),
    audit: at("audit", "privileged"),
    warn: at("warn", "privileged"),
  };
  return { policy: { ...policy, warn: warnOf(policy, labels) }, errors };
}

interface Reading<T> {
  readonly unset: T;
  readonly parse: (text: string) => T | undefined;
  readonly fallback: T;
  readonly detail: string;
}

function readLabel<T>(
  labels: Labels,
  name: string,
  { unset, parse, fallback, detail }: Reading<T>,
  errors: FieldError[],
): T {
  const label = `${labelPrefix}${name}`;
  const text = labels[label];
  if (text === undefined) return unset;
  const parsed = parse(text);
  if (parsed !== undefined) return parsed;
  errors.push(fieldError.invalid(`metadata.labels[${label}]`, text, detail));
  return fallback;
}

/** A stricter level that is enforced by a label is warned by, unless a label says otherwise. */
function warnOf({ enforce, warn }: Policy, labels: Labels): LevelVersion {
  const isSet = (name: string): boolean => labels[`${labelPrefix}${name}`] !== undefined;
  const isEnforced = parseLevel(labels[`${labelPrefix}enforce`] ?? "") !== undefined;
  if (isSet("warn") || !isEnforced || compareLevels(enforce.level, warn.level) <= 0) return warn;
  return { level: enforce.level, version: isSet("warn-version") ? warn.version : enforce.version };
}
