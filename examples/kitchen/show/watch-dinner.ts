// Follows the dinner until it is ready, the deadline passes, or the user stops it. Reads the
// objects' conditions, and from the manager what each object waits for.
import type { Kind, Manager } from "homeostat";
import type { Client } from "homeostat/client";
import type { KitchenManifest } from "./apply-manifests.ts";
import type { Screen } from "./screen.ts";
import type { ShownObject } from "./shown-object.ts";

/** The result of a dinner. */
export interface DinnerReport {
  /** Every applied object is ready. */
  readonly ready: boolean;
  readonly seconds: number;
  readonly objects: readonly ShownObject[];
}

/** Options of a dinner. */
export interface DinnerOptions {
  readonly client: Client;
  readonly manager: Manager;
  readonly manifests: readonly KitchenManifest[];
  /** The kinds to show, in this order. */
  readonly resources: readonly Kind[];
  readonly screen: Screen;
  /** Ends the watch at once. */
  readonly ending: AbortSignal;
  /** Ends when everything is ready, or after this time. Without it, only `ending` does. */
  readonly deadlineMs?: number;
}

const refreshMs = 100;

interface AnyObject {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly status?: {
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly reason?: string;
      readonly message?: string;
    }[];
  };
}

/** Shows the dinner and resolves to its result. */
export async function watchDinner(options: DinnerOptions): Promise<DinnerReport> {
  const { screen, ending, deadlineMs } = options;
  const start = performance.now();
  for (;;) {
    const objects = await look(options);
    const seconds = Math.round((performance.now() - start) / 100) / 10;
    const ready = objects.filter((object) => object.applied).every((object) => object.ready);
    screen.show(objects, { seconds, ready });
    const late = deadlineMs !== undefined && performance.now() - start > deadlineMs;
    if (ending.aborted || (deadlineMs !== undefined && ready) || late) {
      screen.close();
      return { ready, seconds, objects };
    }
    await pause(refreshMs, ending);
  }
}

async function look({
  client,
  manager,
  manifests,
  resources,
}: DinnerOptions): Promise<readonly ShownObject[]> {
  const states = new Map(manager.states().map((state) => [`${state.kind} ${state.key}`, state]));
  const applied = new Set(manifests.map((one) => `${one.kind} ${one.metadata.name}`));
  const lists = await Promise.all(
    resources.map((kind) => client.list(kind, { namespace: client.namespace })),
  );
  const shown = lists.flatMap((list, i) =>
    list.items.map((object: AnyObject) =>
      toShown(
        object,
        resources[i]!,
        states.get(`${resources[i]!.kind} ${keyOf(object)}`)?.progress,
        applied,
      ),
    ),
  );
  const missing = manifests.filter(
    (one) =>
      resources.some(({ kind }) => kind === one.kind) &&
      !shown.some(({ kind, name }) => kind === one.kind && name === one.metadata.name),
  );
  const rank = new Map(resources.map(({ kind }, i) => [kind, i]));
  return [
    ...shown,
    ...missing.map((one) => ({
      kind: one.kind,
      name: one.metadata.name,
      applied: true,
      ready: false,
      because: `not in namespace ${client.namespace}`,
      conditions: {},
    })),
  ].toSorted((a, b) => rank.get(a.kind)! - rank.get(b.kind)!);
}

type Progress = ReturnType<Manager["states"]>[number]["progress"];

function toShown(
  object: AnyObject,
  kind: Kind,
  progress: Progress | undefined,
  applied: ReadonlySet<string>,
): ShownObject {
  const conditions = object.status?.conditions ?? [];
  const expected =
    (kind as { readonly definition?: { readonly conditions: readonly string[] } }).definition
      ?.conditions ?? [];
  const open = expected.filter(
    (type) => !conditions.some((one) => one.type === type && one.status === "True"),
  );
  return {
    kind: kind.kind,
    name: object.metadata.name,
    applied: applied.has(`${kind.kind} ${object.metadata.name}`),
    ready: open.length === 0,
    because: open.length === 0 ? "" : explain(progress, open),
    conditions: Object.fromEntries(conditions.map((one) => [one.type, one.status])),
  };
}

/** The manager's explanation if there is one, otherwise the unmet conditions. */
function explain(progress: Progress | undefined, open: readonly string[]): string {
  if (progress?.at === "waiting") return `waits for ${progress.what}`;
  if (progress?.at === "retrying" || progress?.at === "stalled") return progress.because;
  return `not yet ${open.join(", ")}`;
}

const keyOf = ({ metadata: { namespace, name } }: AnyObject): string =>
  namespace === undefined ? name : `${namespace}/${name}`;

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done);
  });
}
