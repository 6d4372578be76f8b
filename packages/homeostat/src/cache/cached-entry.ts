// One cached object: metadata scanned from its bytes, its JSON text, and the object itself, parsed
// on first read and dropped later. It keeps text because most objects of a big cache are never
// read, and a string costs the garbage collector nothing.
import { encodeJsonBytes } from "../api/encode-json.ts";
import { parseExact } from "../api/parse-exact.ts";
import { eachItem, eachMember, readString, spells } from "../api/scan-json.ts";
import type { MatchStructure, Mismatch } from "../api/resource/compile-structure.ts";
import { scanMetadata, type ScannedMetadata } from "../api/scan-metadata.ts";
import type { ObjectChange } from "../api/transport.ts";
import { emptyStatus } from "../client/readable.ts";
import { decodeJson } from "../client/request/decode-json.ts";
import { HomeostatError } from "../util/homeostat-error.ts";
import { refusePromise } from "../util/refuse-promise.ts";
import { cutManagedFields } from "./cut-managed-fields.ts";
import { freezeDeep } from "./freeze-deep.ts";
import type { ParsedObjects } from "./parsed-objects.ts";
import type { CachedObject } from "./informer.ts";
import type { ObjectSource } from "./reflector-sink.ts";

/** What all entries of one informer share. */
export interface EntryShape {
  readonly apiVersion: string;
  readonly kind: string;
  readonly frozen: boolean;
  /** Read objects always have a status, possibly empty. */
  readonly promisesStatus?: boolean;
  /**
   * Read objects have apiVersion, kind and metadata only: both PartialObjectMetadata from the
   * server and whole objects from own writes.
   */
  readonly metadataOnly?: boolean;
  readonly parsedObjects: ParsedObjects;
  /** Managers whose managedFields are kept. */
  readonly keepManager: (manager: string) => boolean;
  /** True for objects whose managedFields are kept whole. */
  readonly isContested?: (key: string) => boolean;
  /** Reduces objects before they are stored; must keep metadata. */
  readonly project: ((object: any) => unknown) | undefined;
  /** Compares whole objects with their definition; undefined where there is none. */
  readonly match?: MatchStructure | undefined;
  /** Called when an entry that its cache holds is found not to match. */
  readonly mismatched?: (entry: CachedEntry, mismatch: Mismatch) => void;
}

const noOwners: readonly string[] = [];
const everyManager = (): boolean => true;

/** Finds an entry of this revision that exists already. */
export type FindEntry = (key: string, resourceVersion: string) => CachedEntry | undefined;

/**
 * Creates an entry from an object's bytes, which it does not keep, unless `find` has it; or from a
 * change, which it keeps. An object that does not match its definition is not projected. @throws
 * ERR_CACHE_OBJECT
 */
export function toEntry(object: ObjectSource, shape: EntryShape, find?: FindEntry): CachedEntry {
  if (object instanceof Uint8Array) return entryOfBytes(object, shape, find);
  if (shape.project) return entryOfBytes(object.bytes(), shape, find);
  return new CachedEntry(object, object, shape);
}

function entryOfBytes(bytes: Uint8Array, shape: EntryShape, find?: FindEntry): CachedEntry {
  const scanned = scanMetadata(bytes);
  const found = scanned && find?.(keyOf(scanned), scanned.resourceVersion);
  if (found) return found;
  if (scanned && !shape.project) return new CachedEntry(scanned, bytes, shape);
  const object = decodeJson(bytes);
  const mismatch = shape.match?.(object) ?? null;
  const canonical = encodeJsonBytes((mismatch ? object : projected(object, shape)) as never);
  const again = scanMetadata(canonical);
  if (again) return new CachedEntry(again, canonical, shape, mismatch);
  throw new HomeostatError(
    "ERR_CACHE_OBJECT",
    `reading a ${shape.kind} from the server: expected an object with metadata.name, got ${new TextDecoder().decode(bytes.subarray(0, 120))}`,
    {
      hint: "A proxy between client and server may have modified the stream.",
    },
  );
}

/** Joined rather than concatenated: V8 then keeps one string per key and not three. */
const keyOf = ({ namespace, name }: Pick<ObjectChange, "namespace" | "name">): string =>
  namespace ? [namespace, name].join("/") : name;

function projected(object: unknown, { kind, project }: EntryShape): unknown {
  if (!project) return object;
  return refusePromise(project(object), `\`project\` of ${kind}`, `a ${kind}`);
}

/** An object at one revision. */
export class CachedEntry implements CachedObject {
  readonly key: string;
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation: number;
  readonly deleting: boolean;
  readonly ownerUids: readonly string[];
  readonly #hasLabels: boolean;
  readonly #hasAnnotations: boolean;
  /** The text, or the change that has it. */
  readonly #source: string | ObjectChange;
  readonly #shape: EntryShape;
  #object: object | undefined;
  /** Null when it matches, undefined before the first read. */
  #mismatch: Mismatch | null | undefined;
  /** True once the cache no longer holds this revision. */
  #retired = false;

  constructor(
    head: ScannedMetadata | ObjectChange,
    source: Uint8Array | ObjectChange,
    shape: EntryShape,
    mismatch?: Mismatch | null,
  ) {
    this.name = head.name;
    this.namespace = head.namespace;
    this.key = keyOf(head);
    this.uid = head.uid;
    this.resourceVersion = head.resourceVersion;
    this.generation = head.generation;
    this.deleting = head.deleting;
    this.#shape = shape;
    this.#mismatch = mismatch;
    if ("ownerUids" in head) {
      this.ownerUids = head.ownerUids;
      this.#hasLabels = this.#hasAnnotations = true;
      this.#source = source as ObjectChange;
    } else {
      const { ownerReferences, labels, annotations } = head;
      this.ownerUids = ownerReferences
        ? ownerUids(source as Uint8Array, ownerReferences.start)
        : noOwners;
      this.#hasLabels = labels !== undefined;
      this.#hasAnnotations = annotations !== undefined;
      this.#source = this.#cut(source as Uint8Array, head);
    }
  }

  /**
   * Length of the stored text, in characters: bytes for ASCII. 0 where a change has it: the server
   * in this process keeps that anyway.
   */
  get size(): number {
    return typeof this.#source === "string" ? this.#source.length : 0;
  }

  #text(): string {
    if (typeof this.#source === "string") return this.#source;
    const bytes = this.#source.bytes();
    return this.#cut(bytes, scanMetadata(bytes)!);
  }

  #cut(bytes: Uint8Array, scanned: ScannedMetadata): string {
    const { isContested, keepManager } = this.#shape;
    return cutManagedFields(bytes, scanned, isContested?.(this.key) ? everyManager : keepManager);
  }

  get text(): string | undefined {
    const { project, metadataOnly } = this.#shape;
    return project || metadataOnly ? undefined : this.#text();
  }

  /** True when the stored text is the same. */
  isLike(other: CachedEntry): boolean {
    return this.#text() === other.#text();
  }

  get parsed(): boolean {
    return this.#object !== undefined;
  }

  get mismatch(): Mismatch | undefined {
    return this.#mismatch ?? undefined;
  }

  metadataText(field: "labels" | "annotations"): string {
    if (!(field === "labels" ? this.#hasLabels : this.#hasAnnotations)) return "";
    const bytes = Buffer.from(this.#text());
    const range = scanMetadata(bytes)?.[field];
    return range ? bytes.toString("utf8", range.start, range.end) : "";
  }

  read(): any {
    if (this.#object) return this.#object;
    const { frozen, parsedObjects, promisesStatus } = this.#shape;
    const whole = this.#parse();
    if (promisesStatus && (whole.status === undefined || whole.status === null))
      whole.status = emptyStatus();
    if (this.#mismatch === undefined) this.#match(whole);
    this.#object = frozen ? freezeDeep(whole) : whole;
    if (!this.#retired) parsedObjects.add(this);
    return this.#object;
  }

  /** Once for each revision. */
  #match(whole: object): void {
    const { match, mismatched } = this.#shape;
    this.#mismatch = match?.(whole) ?? null;
    if (this.#mismatch && !this.#retired) mismatched?.(this, this.#mismatch);
  }

  #parse(): { apiVersion?: string; kind?: string; metadata?: unknown; status?: unknown } {
    const { apiVersion, kind, metadataOnly } = this.#shape;
    const parsed = parseExact(this.#text()) as { kind?: string; metadata?: unknown };
    if (metadataOnly) return { apiVersion, kind, metadata: parsed.metadata };
    return parsed.kind === undefined ? { apiVersion, kind, ...parsed } : parsed;
  }

  /**
   * The cache no longer holds this revision. Handlers may still read it; what they parse is not
   * counted as the cache's.
   */
  retire(): void {
    this.#retired = true;
    this.#shape.parsedObjects.remove(this);
  }

  /** Drops the parsed object; the next read parses again. */
  dropParsed(): void {
    this.#shape.parsedObjects.remove(this);
    this.#object = undefined;
  }
}

function ownerUids(bytes: Uint8Array, at: number): readonly string[] {
  const uids: string[] = [];
  eachItem(bytes, at, (start) => {
    eachMember(bytes, start, (keyStart, keyEnd, from, to) => {
      if (spells(bytes, keyStart, keyEnd, "uid")) uids.push(readString(bytes, from, to) ?? "");
    });
  });
  return uids;
}
