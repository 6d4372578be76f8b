// The warning that every response of a deprecated version carries.
// Upstream: k8s.io/apiextensions-apiserver/pkg/apiserver/customresource_handler.go
// (defaultDeprecationWarning), k8s.io/apimachinery/pkg/version/helpers.go
// (CompareKubeAwareVersionStrings).
import type { Crd, CrdVersion } from "./crd-version.ts";

/**
 * The text of the definition, or `g/v1beta1 Kind is deprecated; use g/v1 Kind`; undefined for
 * versions that are not deprecated.
 */
export function deprecationWarning(crd: Crd, version: CrdVersion): string | undefined {
  if (!version.deprecated) return undefined;
  if (version.deprecationWarning !== undefined) return version.deprecationWarning;
  const { group, names, versions } = crd.spec;
  const text = `${group}/${version.name} ${names.kind} is deprecated`;
  const better = versions
    .filter(
      (each) => each.served && !each.deprecated && compareKubeVersions(version.name, each.name) < 0,
    )
    .map(({ name }) => name);
  const best = better.sort(compareKubeVersions).at(-1);
  return best === undefined ? text : `${text}; use ${group}/${best} ${names.kind}`;
}

/**
 * Orders versions as Kubernetes does: `v1beta1` before `v1` before `v10`, anything else first, in
 * reverse alphabetical order.
 */
export function compareKubeVersions(a: string, b: string): number {
  if (a === b) return 0;
  const left = parse(a);
  const right = parse(b);
  if (!left && !right) return a < b ? 1 : -1;
  if (!left) return -1;
  if (!right) return 1;
  for (const [i, part] of left.entries()) if (part !== right[i]) return part - right[i]!;
  return 0;
}

const stages: Readonly<Record<string, number>> = { alpha: 0, beta: 1 };

/** Stability, major, minor. */
function parse(version: string): readonly number[] | undefined {
  const match = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version);
  return match
    ? [match[2] ? stages[match[2]]! : 2, Number(match[1]), Number(match[3] ?? 0)]
    : undefined;
}
