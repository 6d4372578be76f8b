// The client of a reconcile: for reads and writes that `own`, `status` and `condition` do not
// cover. Later reads of this process see its writes, through the cache's overlay.
import type { CreateManifestOf, Kind, ManifestOf, ObjectOf } from "../api/kind.ts";
import type { KubeObject, ObjectKey } from "../api/object-meta.ts";
import { argumentError } from "../util/argument-error.ts";
import { describeValue } from "../util/describe-error.ts";
import { isOptions } from "../util/option-faults.ts";
import { isNotFound } from "../api/status.ts";
import type { Client, Key } from "../client/client.ts";
import { addressOf } from "../client/check-requests.ts";
import { nameError } from "../client/request/object-path.ts";
import type { AnswerOf } from "../client/subresources/subresource-bodies.ts";
import type { KindResolver } from "../client/discovery/kind-resolver.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { HomeostatError } from "../util/homeostat-error.ts";
import { check, nameOf, nameText, title } from "./client-calls.ts";
import type { RunScope } from "./run/run-scope.ts";
import { type Mutate, upsert, type Upsert } from "./shared/upsert.ts";

/** Name and namespace; the namespace defaults to that of the reconciled object. */
export interface ObjectAddress {
  readonly name: string;
  readonly namespace?: string;
}

/** Options of `client.apply`. */
export interface SharedApplyOptions {
  /**
   * Appended to the field manager: `<manager>/<set>`. For an object to which several reconciled
   * objects contribute: name the set after the reconciled object.
   */
  readonly set?: string;
}

/** The fields to change, by the top-level fields of the kind. */
export type MergePatch<K extends Kind> = { readonly [P in keyof ObjectOf<K>]?: unknown };

/** A client with the controller's field manager. Refuses calls once the reconcile has ended. */
export interface ControllerClient {
  /** Reads from the server, not from the cache. Undefined when the object does not exist. */
  get<K extends Kind>(kind: K, address: string | ObjectAddress): Promise<ObjectOf<K> | undefined>;
  list<K extends Kind>(
    kind: K,
    options?: {
      readonly namespace?: string;
      readonly labelSelector?: string;
      readonly fieldSelector?: string;
    },
  ): Promise<readonly ObjectOf<K>[]>;
  create<K extends Kind>(kind: K, manifest: CreateManifestOf<K>): Promise<ObjectOf<K>>;
  /** Replaces an object; `metadata.resourceVersion` makes the request conditional. */
  update<K extends Kind>(kind: K, object: ObjectOf<K> | ManifestOf<K>): Promise<ObjectOf<K>>;
  /**
   * Creates an object, or changes it from its current state; repeated after a conflict. Writes
   * nothing when `mutate` changes nothing. Metadata that `mutate` leaves out is kept.
   */
  upsert<K extends Kind>(
    kind: K,
    address: string | ObjectAddress,
    mutate: Mutate<K>,
  ): Promise<ObjectOf<K>>;
  /**
   * Server-side apply as this controller, forced. The fields of the last apply by the same field
   * manager that `manifest` leaves out are removed.
   */
  apply<K extends Kind>(
    kind: K,
    manifest: ManifestOf<K>,
    options?: SharedApplyOptions,
  ): Promise<ObjectOf<K>>;
  /**
   * JSON merge patch: `patch(Site, "home", { metadata: { labels: { tier: "web" } } })`; null
   * removes a field.
   */
  patch<K extends Kind, S extends string = "">(
    kind: K,
    address: string | ObjectAddress,
    patch: MergePatch<K>,
    options?: { readonly subresource?: S },
  ): Promise<AnswerOf<K, S>>;
  /** Also resolves when the object does not exist. */
  delete<K extends Kind>(
    kind: K,
    address: string | ObjectAddress,
    options?: {
      readonly uid?: string;
      readonly propagationPolicy?: "Foreground" | "Background" | "Orphan";
      /** Time for graceful termination; 0 deletes at once. Default: the object's own. */
      readonly gracePeriodSeconds?: number;
    },
  ): Promise<void>;
  /** Finds kinds by name, from discovery: for objects that name a kind in their spec. */
  readonly kinds: Pick<KindResolver, "byKind" | "byResource">;
}

/** Follows what the run reads and writes through its client. */
export interface ReadTracker {
  /** An object was read; undefined when it does not exist. */
  got(kind: Kind, key: ObjectKey, found: KubeObject | undefined): void;
  /** Objects were listed. */
  listed(kind: Kind): void;
  /** The run writes, e.g. `sets its status`; `target` is what it writes, if that can be read. */
  writes(what: string, target?: { readonly kind: Kind; readonly key: ObjectKey }): void;
}

/** A body that is about to be sent. */
export interface GuardedBody {
  readonly kind: Kind;
  readonly key: ObjectKey;
  /** A manifest, or a merge patch. */
  readonly wanted: object;
  /** The body replaces the object. */
  readonly isWhole?: boolean;
  /** Where it is known better than from the cache. */
  readonly current?: KubeObject | undefined;
}

/** The parts of a run that its client needs. */
export interface ClientRun {
  readonly scope: Pick<RunScope, "call" | "signal" | "record">;
  readonly reads: ReadTracker;
  /** An object or a list of them, as the user's code receives it. */
  observe<T>(read: T): T;
  readonly runtime: Runtime;
  /** The controller's field manager. */
  readonly manager: string;
  /** Called before each write of a body. @throws ERR_SIGNAL_WRITER */
  guards(write: GuardedBody): void;
  /** Called before each apply. */
  applies(kind: Kind, manifest: KubeObject, manager: string): void;
}

/**
 * Wraps a client that is scoped to the controller's field manager and the reconcile's deadline.
 * Reads abort when the run ends; writes in flight complete.
 */
export function createControllerClient(client: Client, run: ClientRun): ControllerClient {
  const { reads, read, call, write } = trackedCalls(client, run);
  return {
    get: (kind, address) =>
      read(kind, `get(${title(kind, address)})`, async () => {
        const found = await reads().find(kind, address);
        run.reads.got(kind, keyIn(client, kind, address), found);
        return run.observe(found);
      }),
    list: (kind, options = {}) =>
      read(kind, `list(${nameOf(kind)})`, async () => {
        check(`list(${kind.kind})`, options, "list");
        const { items } = await reads().list(kind, options);
        run.reads.listed(kind);
        return run.observe(items);
      }),
    create: (kind, manifest) =>
      write(kind, [`create(${nameOf(kind)})`, ...bodyOf(kind, manifest as KubeObject)], () =>
        client.create(kind, manifest),
      ),
    update: (kind, object) =>
      write(kind, [`update(${nameOf(kind)})`, ...bodyOf(kind, object as KubeObject, true)], () =>
        client.update(kind, object),
      ),
    upsert: (kind, address, mutate) =>
      write(kind, [`upsert(${title(kind, address)})`, address], () =>
        upsertObject(client, run, { kind, key: address, mutate: mutate as Upsert["mutate"] }),
      ) as never,
    apply: (kind, manifest, options) =>
      write(kind, [`apply(${nameOf(kind)})`, ...bodyOf(kind, manifest as KubeObject)], () =>
        applyShared(client, run, { kind, manifest }, options),
      ),
    patch: (kind, address, body, options = {}) =>
      write(kind, [`patch(${title(kind, address)})`, address, { wanted: body ?? {} }], () =>
        patchObject(client, kind, address, { body, options }),
      ) as never,
    delete: (kind, address, options) =>
      call(kind, [`delete(${title(kind, address)})`, address], () =>
        deleteObject(client, kind, address, options),
      ),
    kinds: findKinds(client, run),
  };
}

function findKinds({ kinds }: Client, { scope }: ClientRun): ControllerClient["kinds"] {
  const find = <T>(what: string, start: () => Promise<T>): Promise<T> =>
    scope.call(`client.kinds.${what}`, start, { isRead: true });
  return {
    byKind: (apiVersion, kind) =>
      find(`byKind(${nameText(apiVersion)}, ${nameText(kind)})`, () =>
        kinds.byKind(apiVersion, kind),
      ),
    byResource: (name) => find(`byResource(${nameText(name)})`, () => kinds.byResource(name)),
  };
}

/** Refuses what `Client.patch` takes: the server would drop both fields and change nothing. */
function mergePatchOf<K extends Kind>(kind: K, patch: MergePatch<K>): MergePatch<K> {
  const names = Object.keys(patch ?? {});
  if (isOptions(patch) && !(names.includes("type") && names.includes("body"))) return patch;
  throw new HomeostatError(
    "ERR_CLIENT_REQUEST",
    `client.patch(${kind.kind}): expected the fields to change, got ${isOptions(patch) ? "{ type, body }" : describeValue(patch)}`,
    { hint: "Pass the body alone: it is a JSON merge patch." },
  );
}

/** What a write is called, the address of what it writes, and the body. */
type Writing = readonly [
  what: string,
  address: string | Partial<ObjectAddress> | undefined,
  body?: Pick<GuardedBody, "wanted" | "isWhole">,
];

/** @throws ERR_ARGUMENT */
function bodyOf({ kind }: Kind, wanted: KubeObject | undefined, isWhole = false) {
  if (!isOptions(wanted?.metadata))
    throw argumentError(`writing a ${kind}`, wanted, "an object with metadata");
  return [wanted!.metadata, { wanted: wanted!, isWhole }] as const;
}

/** Ways to start a request, so that the run knows of it. */
function trackedCalls(client: Client, { scope, reads: undeclared, guards }: ClientRun) {
  let reader: Client | undefined;
  const reads = (): Client => (reader ??= client.with({ signal: scope.signal }));
  const read = <T>(kind: Kind, what: string, start: () => Promise<T>): Promise<T> =>
    scope.call(
      `client.${what}`,
      () => {
        scope.record.reads(kind);
        return start();
      },
      { isRead: true },
    );
  const call = <T>(
    kind: Kind,
    [what, address, body]: Writing,
    start: () => Promise<T>,
  ): Promise<T> =>
    scope.call(`client.${what}`, async () => {
      const key = keyIn(client, kind, address ?? {});
      undeclared.writes(`calls client.${what}`, { kind, key });
      if (body) guards({ kind, key, ...body });
      return start();
    });
  const write = <T extends KubeObject>(
    kind: Kind,
    writing: Writing,
    start: () => Promise<T>,
  ): Promise<T> =>
    call(kind, writing, async () => {
      const result = await start();
      scope.record.receives(kind, result);
      return result;
    });
  return { reads, read, call, write };
}

function upsertObject(client: Client, { scope, runtime, guards }: ClientRun, one: Upsert) {
  const { kind } = one;
  const call = `client.upsert(${title(kind, one.key as ObjectAddress)}, …)`;
  if (typeof one.mutate !== "function")
    throw argumentError(call, one.mutate, "a function that returns the object");
  scope.record.reads(kind);
  const key = keyIn(client, kind, one.key as string | ObjectAddress);
  const mutate: Upsert["mutate"] = (current) => {
    const next = one.mutate(current);
    if (!isOptions(next?.metadata))
      throw argumentError(
        `${call} with what its function returns`,
        next,
        "an object with metadata",
      );
    const metadata = { ...current?.metadata, ...next.metadata };
    guards({ kind, key, wanted: { ...next, metadata }, isWhole: true, current });
    return next;
  };
  return upsert(client, { ...one, mutate }, { runtime, signal: scope.signal });
}

async function applyShared<K extends Kind>(
  client: Client,
  run: ClientRun,
  { kind, manifest }: { readonly kind: K; readonly manifest: ManifestOf<K> },
  options: SharedApplyOptions = {},
): Promise<ObjectOf<K>> {
  check(`apply(${kind.kind})`, options, "apply");
  const { set } = options;
  const fieldManager = set === undefined ? run.manager : `${run.manager}/${set}`;
  run.applies(kind, manifest as KubeObject, fieldManager);
  return client.apply(kind, manifest, { force: true, fieldManager });
}

async function patchObject(
  client: Client,
  kind: Kind,
  address: Key,
  { body, options }: { readonly body: MergePatch<Kind>; readonly options: object },
): Promise<KubeObject> {
  check(`patch(${title(kind, address)})`, options, "patch");
  const { subresource } = options as { readonly subresource?: "" };
  return client.patch<Kind>(
    kind,
    address,
    { type: "merge", body: mergePatchOf(kind, body) },
    subresource === undefined ? {} : { subresource },
  );
}

async function deleteObject(
  client: Client,
  kind: Kind,
  address: Key,
  given: Parameters<ControllerClient["delete"]>[2] = {},
): Promise<void> {
  check(`delete(${title(kind, address)})`, given, "delete");
  const { uid, propagationPolicy, gracePeriodSeconds } = given;
  const options = {
    ...(uid === undefined ? {} : { preconditions: { uid } }),
    ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
  };
  await client.delete(kind, address, options).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
  });
}

/** The key of an address; "" for a name that the server generates. */
function keyIn(
  { namespace: usual }: Client,
  kind: Kind,
  address: string | Partial<ObjectAddress>,
): ObjectKey {
  const { name = "", namespace } = addressOf(kind, address) as Partial<ObjectKey>;
  if (typeof name !== "string") throw nameError(kind, name);
  const { scope } = kind;
  return scope === "Cluster" ? { name } : { name, namespace: namespace ?? usual };
}
