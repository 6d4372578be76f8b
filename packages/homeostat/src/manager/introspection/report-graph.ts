// The graph of a manager's controllers, from what they declare: which kinds wake each, which it
// writes, and the signals between them; with what has flowed along the edges.
import type { Kind } from "../../api/kind.ts";
import type { ControllerDefinition } from "../../controller/define-controller.ts";
import type { Signal } from "../../controller/signals/signal.ts";
import type { ClusterInspection } from "./cluster-inspection.ts";
import type { AttemptHistory } from "./history/attempt-history.ts";

interface GraphKind {
  readonly apiVersion: string;
  readonly kind: string;
}

interface OfController {
  readonly cluster?: string;
  readonly controller: string;
}

/** A source that wakes a controller. */
export interface GraphWake extends OfController, Partial<GraphKind> {
  /** As in causes: `itself`, `owns Part`, `ref chef`, `watch pods`, `retry`. */
  readonly by: string;
  /** How often it has woken the controller since the start. */
  readonly times: number;
}

/** A kind that a controller writes. */
export interface GraphWrite extends OfController, Partial<GraphKind> {
  /** `itself`, `owns`, `signal NAME`, `permission`; `client` for what it has not declared. */
  readonly by: string;
  /** e.g. `apps/v1 deployments` */
  readonly resource: string;
  /** Writes that have succeeded since the start, by verb. */
  readonly requests: Readonly<Record<string, number>>;
}

/** A signal between controllers. */
export interface GraphSignal extends GraphKind {
  readonly cluster?: string;
  readonly name: string;
  /** Label, annotation, finalizer or condition. */
  readonly carrier: Signal["carrier"];
  readonly setBy: readonly string[];
  readonly clearedBy: readonly string[];
  readonly withinMs?: number;
}

/** The answer of `/graph`. */
export interface GraphReport {
  readonly wakes: readonly GraphWake[];
  readonly writes: readonly GraphWrite[];
  readonly signals: readonly GraphSignal[];
}

export function reportGraph(
  clusters: readonly ClusterInspection[],
  history: AttemptHistory | undefined,
): GraphReport {
  const parts = clusters.flatMap(({ cluster, definitions }) =>
    definitions.map((definition) => {
      const of = { ...named(cluster), controller: definition.name };
      const flow = history?.flow({ cluster, name: definition.name });
      return {
        wakes: wakesOf(of, definition, flow?.sources() ?? new Map()),
        writes: writesOf(of, definition, flow?.writes() ?? new Map()),
      };
    }),
  );
  return {
    wakes: parts.flatMap(({ wakes }) => wakes),
    writes: parts.flatMap(({ writes }) => writes),
    signals: clusters.flatMap(signalsOf),
  };
}

const named = (cluster: string | undefined): { readonly cluster?: string } =>
  cluster === undefined ? {} : { cluster };

const kindOf = ({ apiVersion, kind }: Kind): GraphKind => ({ apiVersion, kind });

function wakesOf(
  of: OfController,
  { kind, owns, refs, watches }: ControllerDefinition,
  flow: ReadonlyMap<string, number>,
): readonly GraphWake[] {
  const declared = new Map<string, Kind>([
    ["itself", kind],
    ...owns.map((one) => [`owns ${one.kind}`, one] as const),
    ...Object.entries(refs).map(([name, { target }]) => [`ref ${name}`, target] as const),
    ...Object.entries(watches).map(([name, { target }]) => [`watch ${name}`, target] as const),
  ]);
  const others = [...flow.keys()].filter((by) => !declared.has(by));
  return [
    ...Array.from(declared, ([by, one]) => {
      return { ...of, by, ...kindOf(one), times: flow.get(by) ?? 0 };
    }),
    ...others.map((by) => ({ ...of, by, times: flow.get(by)! })),
  ];
}

const writing = new Set(["create", "update", "patch", "delete", "deletecollection"]);

function writesOf(
  of: OfController,
  { name, kind, owns, permissions, signals }: ControllerDefinition,
  flow: ReadonlyMap<string, number>,
): readonly GraphWrite[] {
  const declared = new Map<string, { readonly by: string; readonly kind: Kind }>();
  const declare = (by: string, one: Kind): void => {
    const resource = `${one.apiVersion} ${one.resource}`;
    if (!declared.has(resource)) declared.set(resource, { by, kind: one });
  };
  declare("itself", kind);
  for (const one of owns) declare("owns", one);
  for (const signal of signals)
    if ([...signal.setBy, ...signal.clearedBy].includes(name))
      declare(`signal ${signal.name}`, signal.on);
  for (const permission of permissions)
    if (permission.verbs.some((verb) => writing.has(verb))) declare("permission", permission.kind);
  const requests = byResource(flow);
  const others = [...requests.keys()].filter((resource) => !declared.has(resource));
  return [
    ...Array.from(declared, ([resource, { by, kind: one }]) => {
      return { ...of, by, ...kindOf(one), resource, requests: requests.get(resource) ?? {} };
    }),
    ...others.map((resource) => {
      return { ...of, by: "client", resource, requests: requests.get(resource)! };
    }),
  ];
}

/** `apply apps/v1 deployments/status` counts for `apps/v1 deployments`. */
function byResource(flow: ReadonlyMap<string, number>): Map<string, Record<string, number>> {
  const found = new Map<string, Record<string, number>>();
  for (const [written, times] of flow) {
    const [verb = "", apiVersion = "", resource = ""] = written.split(" ");
    const id = `${apiVersion} ${resource.split("/")[0]}`;
    const requests = found.get(id) ?? {};
    requests[verb] = (requests[verb] ?? 0) + times;
    found.set(id, requests);
  }
  return found;
}

function signalsOf({ cluster, definitions }: ClusterInspection): readonly GraphSignal[] {
  const signals = new Set(definitions.flatMap((one) => one.signals));
  return [...signals].map(({ name, on, carrier, setBy, clearedBy, withinMs }) => ({
    ...named(cluster),
    name,
    ...kindOf(on),
    carrier,
    setBy,
    clearedBy,
    ...(withinMs === undefined ? {} : { withinMs }),
  }));
}
