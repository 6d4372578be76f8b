// Objects that cannot be cached: without a name, refused by the projection, or not JSON inside.
// One such object must not stop the others, so it is skipped, named once per revision, and counted
// until a good revision of it comes or it is deleted.
import { scanMetadata } from "../api/scan-metadata.ts";
import { HomeostatError } from "../util/homeostat-error.ts";
import type { SkippedObject } from "./informer.ts";
import { type CachedEntry, type EntryShape, type FindEntry, toEntry } from "./cached-entry.ts";

export type { FindEntry };

type Identity = Pick<SkippedObject, "key" | "resourceVersion">;

/** What a list or watch delivered: an entry, or what is known of an object that cannot be one. */
export type Taken =
  | { readonly entry: CachedEntry; readonly skipped?: undefined }
  | { readonly entry?: undefined; readonly skipped: SkippedObject };

/** Limit of remembered objects; more are reported and not remembered. */
const kept = 1000;

/** The skipped objects of one informer. */
export class SkippedObjects {
  readonly #shape: EntryShape;
  readonly #onError: (error: unknown) => void;
  #skipped = new Map<string, SkippedObject>();

  constructor(shape: EntryShape, onError: (error: unknown) => void) {
    this.#shape = shape;
    this.#onError = onError;
  }

  get size(): number {
    return this.#skipped.size;
  }

  all(): readonly SkippedObject[] {
    return [...this.#skipped.values()];
  }

  /**
   * Creates the entry of an object, or takes the one that `find` has; or reports the object. Never
   * throws.
   */
  take(bytes: Uint8Array, find?: FindEntry): Taken {
    try {
      const entry = toEntry(bytes, this.#shape, find);
      this.#skipped.delete(entry.key);
      return { entry };
    } catch (error) {
      return { skipped: this.#report(identify(bytes), error) };
    }
  }

  /** As `take`, for the last state of a deleted object, which is not reported. */
  takeDeleted(bytes: Uint8Array): Taken {
    try {
      return { entry: toEntry(bytes, this.#shape) };
    } catch {
      return { skipped: { ...identify(bytes), reason: "" } };
    }
  }

  /** Reads an entry; undefined, and reported, when its text is not JSON. */
  read(entry: CachedEntry): unknown {
    try {
      return entry.read();
    } catch (error) {
      this.#report({ key: entry.key, resourceVersion: entry.resourceVersion }, error);
      return undefined;
    }
  }

  /** The object of this key was deleted. */
  forget(key: string): void {
    this.#skipped.delete(key);
  }

  /** A complete list begins: what it does not deliver is gone. */
  clear(): void {
    this.#skipped.clear();
  }

  #report(what: Identity, cause: unknown): SkippedObject {
    const known = this.#skipped.get(what.key);
    if (known?.resourceVersion === what.resourceVersion) return known;
    const reason = cause instanceof Error ? cause.message : String(cause);
    const skipped = { ...what, reason };
    if (known || this.#skipped.size < kept) this.#skipped.set(what.key, skipped);
    this.#onError(
      new HomeostatError(
        "ERR_CACHE_OBJECT",
        `caching the ${this.#shape.kind} ${what.key || "without a name"} at revision ${what.resourceVersion || "unknown"}: it is skipped: ${reason}`,
        {
          hint: "Correct or delete the object; the other objects are not affected.",
          cause,
        },
      ),
    );
    return skipped;
  }
}

function identify(bytes: Uint8Array): Identity {
  const scanned = scanMetadata(bytes);
  const key = [scanned?.namespace, scanned?.name].filter(Boolean).join("/");
  return { key, resourceVersion: scanned?.resourceVersion ?? "" };
}
