// Objects that reads leave out: without a name, refused by the projection, not JSON inside, or not
// as their definition says. One such object must not stop the others, so it is skipped, named once,
// and counted until a good revision of it comes or it is deleted.
import type { Mismatch } from "../api/resource/compile-structure.ts";
import { scanMetadata } from "../api/scan-metadata.ts";
import { HomeostatError } from "../util/homeostat-error.ts";
import { mismatchError } from "./mismatch-error.ts";
import type { SkippedObject } from "./informer.ts";
import type { ObjectSource } from "./reflector-sink.ts";
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
  /** Those from before a list that is not complete, unless it has delivered them. */
  #before = new Map<string, SkippedObject>();

  constructor(shape: EntryShape, onError: (error: unknown) => void) {
    this.#shape = {
      ...shape,
      mismatched: (entry, mismatch) => this.#mismatched(entry, mismatch),
    };
    this.#onError = onError;
  }

  get size(): number {
    return this.#before.size + this.#skipped.size;
  }

  all(): readonly SkippedObject[] {
    return [...this.#before.values(), ...this.#skipped.values()];
  }

  /**
   * Creates the entry of an object, or takes the one that `find` has; or reports the object. Never
   * throws.
   */
  take(object: ObjectSource, find?: FindEntry): Taken {
    try {
      const entry = toEntry(object, this.#shape, find);
      this.#arrived(entry);
      return { entry };
    } catch (error) {
      return { skipped: this.#report(identify(object), error) };
    }
  }

  /** As `take`, for the last state of a deleted object, which is not reported. */
  takeDeleted(object: ObjectSource): Taken {
    try {
      return { entry: toEntry(object, this.#shape) };
    } catch {
      return { skipped: { ...identify(object), reason: "" } };
    }
  }

  /** Reads an entry; undefined, and reported, when it does not match or its text is not JSON. */
  read(entry: CachedEntry): unknown {
    if (entry.mismatch) return undefined;
    const object = this.readAny(entry);
    return entry.mismatch ? undefined : object;
  }

  /** Reads an entry; undefined, and reported, when its text is not JSON. */
  readAny(entry: CachedEntry): unknown {
    try {
      return entry.read();
    } catch (error) {
      this.#report(entry, error);
      return undefined;
    }
  }

  /** The object of this key was deleted. */
  forget(key: string): void {
    this.#skipped.delete(key);
    this.#before.delete(key);
  }

  /** A list begins, perhaps after one that failed: what it does not deliver is gone. */
  listing(): void {
    this.#before = new Map([...this.#before, ...this.#skipped]);
    this.#skipped = new Map();
  }

  /** The list is complete. */
  listed(): void {
    this.#before.clear();
  }

  /** Reads the next revision of a skipped object at once, so that its end is seen. */
  #arrived(entry: CachedEntry): void {
    if (entry.mismatch) return this.#mismatched(entry, entry.mismatch);
    if (!this.#known(entry.key)) return;
    if (this.read(entry) !== undefined) this.forget(entry.key);
    entry.dropParsed();
  }

  #known(key: string): SkippedObject | undefined {
    return this.#skipped.get(key) ?? this.#before.get(key);
  }

  #mismatched({ key, resourceVersion }: CachedEntry, mismatch: Mismatch): void {
    const skipped = { key, resourceVersion, reason: mismatch.message };
    this.#skip(skipped, () => mismatchError(`${this.#shape.kind} ${key}`, mismatch));
  }

  #report({ key, resourceVersion }: Identity, cause: unknown): SkippedObject {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const what = `the ${this.#shape.kind} ${key || "without a name"} at revision ${resourceVersion || "unknown"}`;
    const hint = "Correct or delete the object; the other objects are not affected.";
    return this.#skip(
      { key, resourceVersion, reason },
      () =>
        new HomeostatError("ERR_CACHE_OBJECT", `caching ${what}: it is skipped: ${reason}`, {
          hint,
          cause,
        }),
    );
  }

  /** Names an object, unless it is skipped for this reason already. */
  #skip(skipped: SkippedObject, toError: () => HomeostatError): SkippedObject {
    const known = this.#known(skipped.key);
    this.#before.delete(skipped.key);
    if (known || this.size < kept) this.#skipped.set(skipped.key, skipped);
    if (known?.reason !== skipped.reason) this.#onError(toError());
    return skipped;
  }
}

function identify(object: ObjectSource): Identity {
  const scanned = object instanceof Uint8Array ? scanMetadata(object) : object;
  const key = [scanned?.namespace, scanned?.name].filter(Boolean).join("/");
  return { key, resourceVersion: scanned?.resourceVersion ?? "" };
}
