// The server of one reconcile: it has the objects that a test gives, answers from them, and records
// what is written. It stores what it is sent and decides nothing: no schema, defaults, admission or
// conflicts. The embedded server has those.
import type { Kind } from "homeostat";
import type { Exchange, JsonObject, Sink, Transport, TransportRequest } from "homeostat/api";
import { appliedEntry } from "./applied-entry.ts";
import { type RequestTarget, targetOf } from "../faults/request-target.ts";

/** A request that writes. */
export interface OnceWrite extends RequestTarget {
  /** What was sent; undefined for deletions. */
  readonly body: JsonObject | undefined;
}

/** An object as the server has it. */
type Stored = JsonObject & { readonly metadata: JsonObject };

const created = "2026-01-01T00:00:00Z";

/** Objects and writes of one reconcile. */
export class GivenServer {
  readonly writes: OnceWrite[] = [];
  readonly #objects = new Map<string, Stored>();
  #revision = 0;

  /** Adds an object as it stands before the reconcile. */
  give(kind: Kind, object: JsonObject): void {
    const { namespace, name } = object["metadata"] as { namespace?: string; name: string };
    const place = kind.scope === "Namespaced" ? (namespace ?? "default") : undefined;
    const { apiVersion, resource } = kind;
    const metadata = { ...(object["metadata"] as JsonObject), ...(place && { namespace: place }) };
    const given = { apiVersion, kind: kind.kind, ...object, metadata };
    this.#store({ apiVersion, resource, namespace: place, name }, given);
  }

  transport(): Transport {
    return {
      send: (request, sink) => {
        let isOver = false;
        queueMicrotask(() => isOver || (isOver = !this.#serve(request, sink)));
        const abort = (reason: unknown): void => {
          if (isOver) return;
          isOver = true;
          sink.fail(reason instanceof Error ? reason : new Error("aborted"));
        };
        return { resume() {}, abort } satisfies Exchange;
      },
      close: () => Promise.resolve(),
    };
  }

  /** Returns true when the answer goes on. */
  #serve(request: TransportRequest, sink: Sink): boolean {
    const target = targetOf(request);
    if (target?.verb === "watch") {
      this.#watch(request, target, sink);
      return true;
    }
    const [status, body] = target ? this.#answer(request, target) : notFound("path");
    sink.head(status, { "content-type": "application/json" });
    sink.data(encode(body));
    sink.end();
    return false;
  }

  #watch({ path, headers }: TransportRequest, target: RequestTarget, sink: Sink): void {
    sink.head(200, { "content-type": "application/json" });
    if (!path.includes("sendInitialEvents=true")) return;
    const isPartial = headers["accept"]?.includes("PartialObjectMetadata") === true;
    const shown = this.#list(target).map((object) => (isPartial ? partial(object) : object));
    const annotations = { "k8s.io/initial-events-end": "true" };
    const metadata = { resourceVersion: String(this.#revision), annotations };
    const { apiVersion } = target;
    const bookmark = isPartial
      ? partial({ apiVersion, kind: "", metadata })
      : { apiVersion, kind: "", metadata };
    const events = [
      ...shown.map((object) => ({ type: "ADDED", object })),
      { type: "BOOKMARK", object: bookmark },
    ];
    sink.data(encode(...events));
  }

  #answer(request: TransportRequest, target: RequestTarget): readonly [number, JsonObject] {
    const { verb, apiVersion } = target;
    if (verb === "list") {
      const metadata = { resourceVersion: String(this.#revision) };
      return [200, { apiVersion, metadata, items: [...this.#list(target)] }];
    }
    const found = this.#objects.get(keyOf(target));
    if (verb === "get") return found ? [200, found] : notFound(target.name);
    const body = request.body === undefined ? undefined : decode(request.body);
    const isDeletion = verb === "delete" || verb === "deletecollection";
    this.writes.push({ ...target, body: isDeletion ? undefined : body });
    if (isDeletion) {
      this.#objects.delete(keyOf(target));
      return [200, { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success" }];
    }
    const isApply = request.headers["content-type"]?.includes("apply-patch") === true;
    if (verb === "patch" && !found && !isApply) return notFound(target.name);
    const sent = body ?? {};
    const named = verb === "create" ? nameOf(sent, this.#revision) : target.name!;
    if (found && isStale(found, sent)) return conflict(named);
    const next = (verb === "update" ? sent : merged(found ?? {}, sent)) as JsonObject;
    const stored = isApply ? withEntry(next, request.path, target, sent) : next;
    return [found ? 200 : 201, this.#store({ ...target, name: named }, stored)];
  }

  #list(target: RequestTarget): readonly Stored[] {
    const { apiVersion, resource, namespace } = target;
    const prefix = `${apiVersion}/${resource}/${namespace === undefined ? "" : `${namespace}/`}`;
    return [...this.#objects].filter(([key]) => key.startsWith(prefix)).map(([, each]) => each);
  }

  #store(target: Addressed, object: JsonObject): Stored {
    this.#revision++;
    const { namespace, name } = target;
    const metadata = {
      uid: uidOf(String(object["kind"]), { name: name! }),
      creationTimestamp: created,
      generation: 1,
      ...(object["metadata"] as JsonObject | undefined),
      name: name!,
      ...(namespace === undefined ? {} : { namespace }),
      resourceVersion: String(this.#revision),
    };
    const stored = { ...object, metadata };
    this.#objects.set(keyOf(target), stored);
    return stored;
  }
}

/** The same for the same object, each time. */
export const uidOf = (kind: string, { uid, name }: { uid?: string; name: string }): string =>
  uid ?? `uid-of-${kind}-${name}`;

type Addressed = Pick<RequestTarget, "apiVersion" | "resource" | "namespace" | "name">;

const keyOf = ({ apiVersion, resource, namespace, name }: Addressed): string =>
  `${apiVersion}/${resource}/${namespace ?? ""}/${name}`;

function nameOf(body: JsonObject, revision: number): string {
  const { name, generateName } = (body["metadata"] ?? {}) as JsonObject;
  return String(name ?? `${String(generateName)}${revision}`);
}

/** A merge patch, as far as one reconcile can tell it from an apply. */
function merged(target: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch;
  const out: Record<string, unknown> = isRecord(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(patch))
    if (value === null) delete out[name];
    else out[name] = merged(out[name], value);
  return out;
}

function isStale({ metadata }: Stored, sent: JsonObject): boolean {
  const { resourceVersion } = (sent["metadata"] ?? {}) as JsonObject;
  return resourceVersion !== undefined && resourceVersion !== metadata["resourceVersion"];
}

/** As applied by its field manager. */
function withEntry(
  next: JsonObject,
  path: string,
  { subresource }: RequestTarget,
  sent: JsonObject,
): JsonObject {
  const manager = new URL(path, "http://given").searchParams.get("fieldManager") ?? "";
  const metadata = next["metadata"] as JsonObject;
  const entries = (metadata["managedFields"] ?? []) as readonly JsonObject[];
  const others = entries.filter(
    (one) => one["manager"] !== manager || one["subresource"] !== subresource,
  );
  const managedFields = [...others, appliedEntry(manager, sent, subresource)];
  return { ...next, metadata: { ...metadata, managedFields } };
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const partial = ({ metadata }: JsonObject): JsonObject => ({
  apiVersion: "meta.k8s.io/v1",
  kind: "PartialObjectMetadata",
  metadata: metadata!,
});

const refusal = (code: number, reason: string, message: string): readonly [number, JsonObject] => [
  code,
  { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", reason, message, code },
];

const notFound = (what: string | undefined): readonly [number, JsonObject] =>
  refusal(404, "NotFound", `${what} not found: it is not among what the test gives`);

const conflict = (name: string): readonly [number, JsonObject] =>
  refusal(409, "Conflict", `${name}: the object has been modified`);

const encode = (...lines: readonly object[]): Uint8Array =>
  new TextEncoder().encode(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));

const decode = (body: Uint8Array): JsonObject =>
  JSON.parse(new TextDecoder().decode(body)) as JsonObject;
