// Finds kinds by name in discovery, which is fetched once, and again when it may be out of date: on
// a miss, because a CRD may have been added, and after a request whose path the server does not
// know, because one may have been removed.
// Upstream: k8s.io/client-go/restmapper (shortcut expander, deferred discovery mapper).
import type { Clock } from "../../runtime/clock.ts";
import { checkArgument } from "../../util/call-options.ts";
import { HomeostatError } from "../../util/homeostat-error.ts";
import type { Discovery } from "./fetch-discovery.ts";
import { matchResource } from "./match-resource.ts";
import type { DiscoveredKind, KindResolver } from "./kind-resolver.ts";
import { RefreshTurns } from "./refresh-turns.ts";

/** A resolver that its client tells of paths that the server does not know. */
export interface RefreshingResolver extends KindResolver {
  /** Fetches discovery again before the next kind is looked for. */
  doubt(): void;
}

/** Creates a resolver over `fetch`; concurrent misses share one fetch. */
export function createKindResolver(
  fetch: () => Promise<Discovery>,
  clock: Clock,
): RefreshingResolver {
  const known = new KnownDiscovery(fetch, clock);
  const resolve = async (
    match: (kinds: readonly DiscoveredKind[]) => DiscoveredKind | undefined,
    what: string,
    isOf: (groupVersion: string) => boolean,
  ): Promise<DiscoveredKind> => {
    const before = known.fetches;
    const found = match((await known.get()).kinds);
    if (found) return found;
    const { kinds, unavailable } = await known.getSince(before);
    const again = match(kinds);
    if (again) return again;
    throw noKind(what, unavailable.filter(isOf));
  };
  return {
    async byKind(apiVersion, kind) {
      checkArgument("kinds.byKind(…)", ["its first argument", apiVersion], "a string");
      checkArgument("kinds.byKind(…)", ["its second argument", kind], "a string");
      return resolve(
        (kinds) =>
          kinds.find((candidate) => candidate.apiVersion === apiVersion && candidate.kind === kind),
        `kind ${kind} in ${apiVersion}`,
        (groupVersion) => groupVersion === apiVersion,
      );
    },
    async byResource(name) {
      checkArgument("kinds.byResource(…)", ["its argument", name], "a string");
      return resolve(
        (kinds) => onlyOne(matchResource(kinds, name), name),
        `resource ${JSON.stringify(name)}`,
        () => true,
      );
    },
    all: async () => (await known.get()).kinds,
    invalidate: () => known.forget(),
    doubt: () => known.doubt(),
  };
}

/** Discovery as last fetched. */
class KnownDiscovery {
  fetches = 0;
  readonly #fetch: () => Promise<Discovery>;
  readonly #turns: RefreshTurns;
  #known: Promise<Discovery> | undefined;
  #isDoubted = false;

  constructor(fetch: () => Promise<Discovery>, clock: Clock) {
    this.#fetch = fetch;
    this.#turns = new RefreshTurns(clock);
  }

  async get(): Promise<Discovery> {
    if (this.#isDoubted && this.#known) return this.getSince(this.fetches);
    return this.#learn();
  }

  /** As fetched after the fetch with this number. */
  async getSince(before: number): Promise<Discovery> {
    if (this.fetches === before) await this.#turns.next();
    if (this.fetches === before) this.forget();
    return this.#learn();
  }

  forget(): void {
    this.#known = undefined;
  }

  doubt(): void {
    this.#isDoubted = true;
  }

  #learn(): Promise<Discovery> {
    if (this.#known) return this.#known;
    this.fetches++;
    this.#isDoubted = false;
    const fetching = (this.#known = this.#fetch());
    fetching.catch(() => (this.#known = this.#known === fetching ? undefined : this.#known));
    return fetching;
  }
}

/**
 * Kubernetes' own groups take precedence, as for kubectl. Between others the name decides nothing:
 * which is first may change whenever somebody defines a kind.
 */
function onlyOne(found: readonly DiscoveredKind[], name: string): DiscoveredKind | undefined {
  const [first, ...rest] = found;
  if (!first || rest.length === 0 || isOwnGroup(first.group)) return first;
  const names = found.map(({ resource, group }) => `${resource}.${group}`);
  throw new HomeostatError(
    "ERR_DISCOVERY_AMBIGUOUS",
    `looking for resource ${JSON.stringify(name)} on the server: expected one kind of that name, found ${names.join(" and ")}`,
    { hint: `Name the group, e.g. ${JSON.stringify(names[0])}.` },
  );
}

const isOwnGroup = (group: string): boolean => !group.includes(".") || group.endsWith(".k8s.io");

function noKind(what: string, unavailable: readonly string[]): HomeostatError {
  const failed =
    unavailable.length === 0 ? "" : `; ${unavailable.join(", ")} cannot be discovered at present`;
  return new HomeostatError(
    "ERR_DISCOVERY_NO_KIND",
    `looking for ${what} on the server: it serves no such kind${failed}`,
    {
      hint: "Check the spelling; for a custom resource, install its CustomResourceDefinition and wait until it is Established.",
    },
  );
}
