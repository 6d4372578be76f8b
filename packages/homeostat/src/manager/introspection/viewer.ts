// Who asks, and which objects may be named to them.

/** The objects of one resource in one namespace, which are seen or hidden together. */
export interface Seen {
  /** "" for that of `v1`. */
  readonly group: string;
  /** Plural, e.g. `deployments`. */
  readonly resource: string;
  /** Undefined for kinds that have none. */
  readonly namespace: string | undefined;
}

/** One that asks over the network. */
export interface Viewer {
  /** Whether they may `get` such objects, or the one of this name. */
  mayGet(objects: Seen, name?: string): Promise<boolean>;
}

/** Questions that one answer may ask; what they do not cover is hidden. */
const mostQuestions = 200;
const atOnce = 10;

/** What is shown of a list, and how much is not. */
export interface Shown<T> {
  readonly items: readonly T[];
  readonly hidden: number;
}

/** The items that the viewer may see; all without one. */
export async function shownTo<T>(
  viewer: Viewer | undefined,
  items: readonly T[],
  of: (item: T) => Seen,
): Promise<Shown<T>> {
  if (!viewer) return { items, hidden: 0 };
  const groups = Map.groupBy(items, (item) => formatSeen(of(item)));
  const questions = Array.from(groups.values(), ([first]) => of(first!)).slice(0, mostQuestions);
  const allowed = new Set<string>();
  for (let i = 0; i < questions.length; i += atOnce)
    await Promise.all(
      questions.slice(i, i + atOnce).map(async (one) => {
        if (await viewer.mayGet(one)) allowed.add(formatSeen(one));
      }),
    );
  const shown = items.filter((item) => allowed.has(formatSeen(of(item))));
  return { items: shown, hidden: items.length - shown.length };
}

/**
 * The items that are asked for and that the viewer may see. What is hidden is counted whatever is
 * asked for: else whoever asks for a name would learn whether there is an object of it.
 */
export async function askedOf<T>(
  viewer: Viewer | undefined,
  items: readonly T[],
  { of, isAsked }: { of(item: T): Seen; isAsked(item: T): boolean },
): Promise<Shown<T>> {
  const asked = items.filter(isAsked);
  if (!viewer) return { items: asked, hidden: 0 };
  const others = items.filter((item) => !isAsked(item));
  // Those that are asked for come first, as not all can be asked about.
  const { items: seen, hidden } = await shownTo(viewer, [...asked, ...others], of);
  return { items: seen.filter(isAsked), hidden };
}

/** Identifies what is seen together, e.g. `apps deployments shop`. */
export const formatSeen = ({ group, resource, namespace = "" }: Seen): string =>
  `${group} ${resource} ${namespace}`;

/** What an object of a kind belongs to. */
export function seenOf(
  { apiVersion, resource }: { readonly apiVersion: string; readonly resource: string },
  namespace: string | undefined,
): Seen {
  const slash = apiVersion.indexOf("/");
  return { group: slash < 0 ? "" : apiVersion.slice(0, slash), resource, namespace };
}
