// One cached object: facts scanned from its bytes, its text, and a parsed view made on first read
// and given up when cold. Text and not a parsed tree, because most objects of a big cache are never
// read, and a string costs the collector nothing.
import { encodeJsonBytes } from "../api/encode-json.ts";
import { parseExact } from "../api/parse-exact.ts";
import { eachItem, eachMember, readString, spells } from "../api/scan-json.ts";
import { scanMetadata, type ScannedMetadata } from "../api/scan-metadata.ts";
import { emptyStatus } from "../client/readable.ts";
import { decodeJson } from "../client/request/decode-json.ts";
import { HomeostatError } from "../util/homeostat-error.ts";
import { cutManagedFields } from "./cut-managed-fields.ts";
import { freezeDeep } from "./freeze-deep.ts";
import type { HotViews } from "./hot-views.ts";
import type { CachedObject } from "./informer.ts";

/** What all entries of one informer have in common. */
export interface EntryShape {
  readonly apiVersion: string;
  readonly kind: string;
  readonly frozen: boolean;
  /** Whoever reads finds a status, be it an empty one. */
  readonly promisesStatus?: boolean;
  /**
   * Readers find apiVersion, kind and metadata, whatever came: PartialObjectMetadata from the
   * server, whole objects from own writes.
   */
  readonly metadataOnly?: boolean;
  readonly hot: HotViews;
  /** Managers whose managedFields are kept. */
  readonly keepManager: (manager: string) => boolean;
  /** Makes objects smaller before they are held; must keep metadata. */
  readonly project: ((object: any) => unknown) | undefined;
}

const noOwners: readonly string[] = [];

/**
 * Makes an entry of an object's bytes, which are not kept. Throws ERR_CACHE_OBJECT on what is no
 * object.
 */
export function toEntry(bytes: Uint8Array, shape: EntryShape): CachedEntry {
  const compact = shape.project
    ? encodeJsonBytes(shape.project(decodeJson(bytes)) as never)
    : bytes;
  const scanned = scanMetadata(compact);
  if (scanned) return new CachedEntry(compact, scanned, shape);
  const canonical = encodeJsonBytes(decodeJson(compact));
  const again = scanMetadata(canonical);
  if (again) return new CachedEntry(canonical, again, shape);
  throw new HomeostatError(
    "ERR_CACHE_OBJECT",
    `reading a ${shape.kind} from the server: expected an object with metadata.name, got ${new TextDecoder().decode(bytes.subarray(0, 120))}`,
    {
      hint: "Something between client and server changed the stream; look for proxies.",
    },
  );
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
  readonly #text: string;
  readonly #shape: EntryShape;
  #view: object | undefined;

  constructor(bytes: Uint8Array, scanned: ScannedMetadata, shape: EntryShape) {
    this.name = scanned.name;
    this.namespace = scanned.namespace;
    this.key = scanned.namespace ? `${scanned.namespace}/${scanned.name}` : scanned.name;
    this.uid = scanned.uid;
    this.resourceVersion = scanned.resourceVersion;
    this.generation = scanned.generation;
    this.deleting = scanned.deleting;
    this.ownerUids = scanned.ownerReferences
      ? ownerUids(bytes, scanned.ownerReferences.start)
      : noOwners;
    this.#text = cutManagedFields(bytes, scanned, shape.keepManager);
    this.#shape = shape;
  }

  /** Length of what is held, in characters: bytes for ASCII. */
  get size(): number {
    return this.#text.length;
  }

  get parsed(): boolean {
    return this.#view !== undefined;
  }

  read(): any {
    if (this.#view) return this.#view;
    const { frozen, hot, promisesStatus } = this.#shape;
    const whole = this.#parse();
    if (promisesStatus && whole.status === undefined) whole.status = emptyStatus();
    this.#view = frozen ? freezeDeep(whole) : whole;
    hot.add(this);
    return this.#view;
  }

  #parse(): { apiVersion?: string; kind?: string; metadata?: unknown; status?: unknown } {
    const { apiVersion, kind, metadataOnly } = this.#shape;
    const parsed = parseExact(this.#text) as { kind?: string; metadata?: unknown };
    if (metadataOnly) return { apiVersion, kind, metadata: parsed.metadata };
    return parsed.kind === undefined ? { apiVersion, kind, ...parsed } : parsed;
  }

  /** Gives up the parsed view; the next read parses again. */
  cool(): void {
    this.#view = undefined;
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
