// Finds kinds by name in discovery, which is fetched once and again on a miss, because a CRD may
// have been added.
// Upstream: k8s.io/client-go/restmapper (shortcut expander, deferred discovery mapper).
import { checkArgument } from "../../util/call-options.ts";
import { HomeostatError } from "../../util/homeostat-error.ts";
import type { DiscoveredKind, KindResolver } from "./kind-resolver.ts";

/** Creates a resolver over `fetch`; concurrent misses share one fetch. */
export function createKindResolver(fetch: () => Promise<readonly DiscoveredKind[]>): KindResolver {
  let known: Promise<readonly DiscoveredKind[]> | undefined;
  let fetches = 0;
  const learn = (): Promise<readonly DiscoveredKind[]> => {
    if (!known) {
      fetches++;
      const fetching = (known = fetch());
      fetching.catch(() => (known = known === fetching ? undefined : known));
    }
    return known;
  };
  const resolve = async (
    match: (kinds: readonly DiscoveredKind[]) => DiscoveredKind | undefined,
    what: string,
  ): Promise<DiscoveredKind> => {
    const before = fetches;
    const found = match(await learn());
    if (found) return found;
    if (fetches === before) known = undefined;
    const again = match(await learn());
    if (again) return again;
    throw new HomeostatError(
      "ERR_DISCOVERY_NO_KIND",
      `looking for ${what} on the server: it serves no such kind`,
      {
        hint: "Check the spelling; for a custom resource, install its CustomResourceDefinition and wait until it is Established.",
      },
    );
  };
  return {
    async byKind(apiVersion, kind) {
      checkArgument("kinds.byKind(…)", ["its first argument", apiVersion], "a string");
      checkArgument("kinds.byKind(…)", ["its second argument", kind], "a string");
      return resolve(
        (kinds) =>
          kinds.find((candidate) => candidate.apiVersion === apiVersion && candidate.kind === kind),
        `kind ${kind} in ${apiVersion}`,
      );
    },
    async byResource(name) {
      checkArgument("kinds.byResource(…)", ["its argument", name], "a string");
      return resolve((kinds) => findByResource(kinds, name), `resource ${JSON.stringify(name)}`);
    },
    all: () => learn(),
    invalidate: () => void (known = undefined),
  };
}

/**
 * Plural names take precedence over singular names, and these over short names; within each, the
 * server's order decides.
 */
export function findByResource(
  kinds: readonly DiscoveredKind[],
  name: string,
): DiscoveredKind | undefined {
  const lower = name.toLowerCase();
  const [resource = "", ...rest] = lower.split(".");
  const suffix = rest.join(".");
  const within = kinds.filter(
    (kind) =>
      !suffix ||
      suffix === kind.group ||
      suffix === `${kind.version}.${kind.group}` ||
      (kind.group === "" && suffix === kind.version),
  );
  return (
    within.find((kind) => kind.resource === resource) ??
    within.find((kind) => kind.singular === resource || kind.kind.toLowerCase() === resource) ??
    within.find((kind) => kind.shortNames.includes(resource))
  );
}
