// What one run has read and written, and which changes of its own therefore tell it nothing new. A
// controller may go on from its own write: from the status it reads, from an annotation it sets, or
// from objects that it lists. Such a change must reach it as any other does.
import { equalJson, type Json, type JsonObject } from "../../api/json.ts";
import type { Kind } from "../../api/kind.ts";
import { formatObjectKey } from "../../api/gvk.ts";
import type { KubeObject } from "../../api/object-meta.ts";
import type { CompletedWrite } from "../../client/client.ts";
import { writtenMetadata, writtenRevision } from "../../client/completed-write.ts";

/** Identifies a kind, e.g. `apps/v1/Deployment`. */
export const kindId = ({ apiVersion, kind }: Kind): string => `${apiVersion}/${kind}`;

/** Identifies an object, e.g. `v1/ConfigMap kitchen/menu`; `key` is `namespace/name` or `name`. */
export const objectId = (kind: Kind, key: string): string => `${kindId(kind)} ${key}`;

/** Identifies one revision of one object; `key` is `namespace/name` or `name`. */
export const revisionId = (kind: Kind, key: string, resourceVersion: string): string =>
  `${objectId(kind, key)}@${resourceVersion}`;

interface Written {
  readonly id: string;
  readonly kind: string;
  readonly write: CompletedWrite;
}

/** The record of one run. */
export class RunRecord {
  readonly #kinds: ReadonlySet<string>;
  readonly #written: Written[] = [];
  // Most runs need few of these: each is made when it is first needed.
  #completed: Set<CompletedWrite> | undefined;
  #results: Set<string> | undefined;
  #readKinds: Set<string> | undefined;
  #object: KubeObject | undefined;
  #started: { readonly id: string; readonly kind: string } | undefined;
  #hasReadStatus = false;
  #isRetried = false;
  #hasAnswer = false;

  /** `kinds` are watched for changes of their objects; the record leaves out all others. */
  constructor(kinds: ReadonlySet<string> = new Set()) {
    this.#kinds = kinds;
  }

  /** The object that the user's code receives. */
  starts(kind: Kind, object: KubeObject): void {
    this.#object = object;
    this.#started = { id: idOf(kind, object), kind: kindId(kind) };
  }

  /** A request of this run has been sent. */
  asked(answered: Promise<unknown>): void {
    answered.then(
      () => (this.#hasAnswer = true),
      () => {},
    );
  }

  /** True when a request of this run has succeeded. */
  get hasAnswer(): boolean {
    return this.#hasAnswer;
  }

  /** A request of this run has changed an object, or has changed nothing. */
  wrote(write: CompletedWrite): void {
    (this.#completed ??= new Set()).add(write);
    const { kind, key } = write;
    const revision = writtenRevision(write);
    if (revision === undefined) return;
    const id = revisionId(kind, formatObjectKey(key), revision);
    this.#written.push({ id, kind: kindId(kind), write });
  }

  /**
   * A client of the process has changed an object during this run. Nothing is known of who reads
   * the result, so the change reaches the controller as any other does.
   */
  overheard(write: CompletedWrite): void {
    if (write.kind.kind !== "Event") (this.#completed ??= new Set()).add(write);
  }

  /** The user's code has received the result of its write. */
  receives(kind: Kind, object: KubeObject): void {
    (this.#results ??= new Set()).add(idOf(kind, object));
  }

  /** The user's code has read the status of its object. */
  readsStatus(): void {
    this.#hasReadStatus = true;
  }

  /** The user's code has read objects of a kind other than as results of writes. */
  reads(kind: Kind): void {
    (this.#readKinds ??= new Set()).add(kindId(kind));
    if (kindId(kind) === this.#started?.kind) this.#hasReadStatus = true;
  }

  /** The run has failed: it is retried after its back-off, which its own writes do not shorten. */
  isRetried(): void {
    this.#isRetried = true;
  }

  /** The writes and deletions of the run. */
  writes(): readonly CompletedWrite[] {
    return this.#completed ? [...this.#completed] : [];
  }

  /** The revision that the user's code started from. */
  get started(): string | undefined {
    return this.#started?.id;
  }

  /**
   * The revisions written, each with whether its arrival tells the controller nothing new;
   * undefined for none.
   */
  revisions(): Map<string, boolean> | undefined {
    let revisions: Map<string, boolean> | undefined;
    for (const one of this.#written)
      if (this.#kinds.has(one.kind))
        (revisions ??= new Map()).set(one.id, one.id === this.started || this.#isKnown(one));
    return revisions;
  }

  #isKnown({ id, kind, write }: Written): boolean {
    if (this.#isRetried) return true;
    if (this.#object && writtenMetadata(write)!["uid"] === this.#object.metadata.uid)
      return !this.#hasReadStatus && differsInStatusOnly(this.#object, write);
    return this.#results?.has(id) === true && !this.#readKinds?.has(kind);
  }
}

const idOf = (kind: Kind, { metadata }: KubeObject): string =>
  revisionId(kind, formatObjectKey(metadata), metadata.resourceVersion);

/** The generation stands for all that is not metadata or status, where the kind has one. */
function differsInStatusOnly(before: KubeObject, write: CompletedWrite): boolean {
  if (!equalJson(comparable(before.metadata), comparable(writtenMetadata(write)!))) return false;
  if (before.metadata.generation !== undefined) return true;
  return equalJson(withoutStatus(before), withoutStatus(write.object!));
}

function comparable(metadata: object): JsonObject {
  const { resourceVersion: _r, managedFields: _m, ...rest } = metadata as JsonObject;
  return rest;
}

function withoutStatus(object: object): Json {
  const { metadata: _m, status: _s, ...rest } = object as JsonObject;
  return rest;
}
