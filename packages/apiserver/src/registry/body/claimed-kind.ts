// Compares the type that a body states with the type that the endpoint expects.
// Upstream: k8s.io/apimachinery/pkg/runtime/serializer/json/json.go (gvkWithDefaults),
// pkg/runtime/error.go, pkg/conversion/converter.go.
import { formatApiVersion, type GroupVersionKind, parseApiVersion } from "homeostat/api";
import { badRequestError } from "../../apimachinery/errors/api-errors.ts";
import type { CoreServices } from "../scope/core-services.ts";
import { quoteGo } from "../../apimachinery/errors/field-error.ts";
import { BodyError } from "./parse-body.ts";

/** The source position that upstream prints in a message. */
const scheme = '"pkg/runtime/scheme.go:111"';

/** The stated type, completed with the endpoint's. Throws {@link BodyError}. */
export function fillClaim(
  claim: { readonly apiVersion: string; readonly kind: string },
  expected: GroupVersionKind,
): GroupVersionKind {
  const parsed = parseApiVersion(claim.apiVersion);
  if (!parsed) throw new BodyError(`unexpected GroupVersion string: ${claim.apiVersion}`);
  return {
    ...(parsed.version === "" && parsed.group === ""
      ? { group: expected.group, version: expected.version }
      : parsed),
    kind: claim.kind || expected.kind,
  };
}

/** Throws 400 if a body of `actual` cannot be used as `expected`. */
export function assertKind(
  core: CoreServices,
  actual: GroupVersionKind,
  expected: GroupVersionKind,
): void {
  if (isSame(actual, expected)) return;
  const fault = kindFault(core, actual, expected);
  if (fault) throw cannotBe(actual, expected, fault);
  throw badRequestError(
    `the API version in the data (${formatApiVersion(actual)}) does not match the expected API version (${formatApiVersion(expected)})`,
  );
}

/**
 * Why an object of `actual` cannot be decoded as `expected`; undefined when it is the same kind in
 * another version.
 */
export function kindFault(
  core: CoreServices,
  actual: GroupVersionKind,
  expected: GroupVersionKind,
): string | undefined {
  if (isSame(actual, expected)) return undefined;
  const retired = core.kinds.groupOfRetired(actual);
  if (retired !== undefined && retired === expected.group && actual.kind === expected.kind)
    return undefined;
  const goType = core.kinds.goTypeOf(actual, expected.group);
  if (goType === undefined) return notRegistered(actual.kind, formatApiVersion(actual));
  if (sharesStorage(core, actual, expected)) return undefined;
  return unknownConversion(goType, internalType(expected));
}

/**
 * Why an object without an apiVersion cannot be decoded as `expected`: upstream looks its kind up
 * among the internal types of the group. Undefined when it is the same kind.
 */
export function internalKindFault(
  core: CoreServices,
  kind: string,
  expected: GroupVersionKind,
): string | undefined {
  if (kind === expected.kind) return undefined;
  const actual = { ...expected, kind };
  const isKnown = core.kinds.goTypeOf(actual, expected.group) !== undefined;
  return !isKnown || optionKinds.has(kind)
    ? `no kind ${quoteGo(kind)} is registered for the internal version of group ${quoteGo(expected.group)} in scheme ${scheme}`
    : unknownConversion(unversioned.get(kind) ?? internalType(actual), internalType(expected));
}

/** Registered for the versions of a group only. */
const optionKinds: ReadonlySet<string> = new Set(
  ["Create", "Delete", "Get", "List", "Patch", "Update"].map((verb) => `${verb}Options`),
);

/** Kinds that every group has, and their types without a version. */
const unversioned: ReadonlyMap<string, string> = new Map([
  ["Status", "v1.Status"],
  ["WatchEvent", "v1.InternalEvent"],
]);

const isSame = (a: GroupVersionKind, b: GroupVersionKind): boolean =>
  a.kind === b.kind && a.group === b.group && a.version === b.version;

/** `X in version "v1" cannot be handled as a Y: why`. */
export function cannotBe(actual: GroupVersionKind, expected: GroupVersionKind, why: string): Error {
  return badRequestError(
    `${actual.kind} in version ${quoteGo(actual.version)} cannot be handled as a ${expected.kind}: ${why}`,
  );
}

export const unknownConversion = (from: string, to: string): string =>
  `converting (${from}) to (${to}): unknown conversion`;

/** `no kind "X" is registered for version "v1" in scheme "…"`. */
export function notRegistered(kind: string, apiVersion: string): string {
  return `no kind ${quoteGo(kind)} is registered for version ${quoteGo(apiVersion)} in scheme ${scheme}`;
}

function sharesStorage(core: CoreServices, a: GroupVersionKind, b: GroupVersionKind): boolean {
  const all = core.catalog.all();
  const find = (gvk: GroupVersionKind) =>
    all.find(
      (each) => each.group === gvk.group && each.version === gvk.version && each.kind === gvk.kind,
    );
  const first = find(a);
  return first !== undefined && first.storageKey === find(b)?.storageKey;
}

/** The Go type that all versions of a kind are converted through, e.g. `core.Pod`. */
export const internalType = ({ group, kind }: GroupVersionKind): string =>
  `${group === "" || group === "events.k8s.io" ? "core" : group.split(".", 1)[0]!}.${kind}`;
