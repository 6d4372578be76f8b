// Lets pure code use conversions that take time: it stops at the first that is missing, and runs
// again once that has come.
import { cloneJson, encodeJson, type JsonObject } from "homeostat/api";
import { reasonOf } from "../../apimachinery/errors/server-error.ts";
import type { ConvertVersion } from "../../apimachinery/rest/remote-conversion.ts";
import { MergeError } from "../../merge/fieldpath/merge-error.ts";

/** A conversion that pure code needs before it can go on. */
class NeededConversion extends Error {
  readonly key: string;
  readonly object: JsonObject;
  readonly apiVersion: string;

  constructor(key: string, object: JsonObject, apiVersion: string) {
    super(`convert to ${apiVersion}: not converted yet; this is a bug`);
    this.key = key;
    this.object = object;
    this.apiVersion = apiVersion;
  }
}

/** The conversions of one resource that are asked for by pure code. */
export class PendingConversions {
  readonly #convert: ConvertVersion;
  readonly #done = new Map<string, { readonly object: JsonObject } | { readonly fault: string }>();

  constructor(convert: ConvertVersion) {
    this.#convert = convert;
  }

  /** The converted object. Throws what {@link settle} waits for, or a {@link MergeError}. */
  converted(object: JsonObject, apiVersion: string): JsonObject {
    if (object.apiVersion === apiVersion) return object;
    const key = `${apiVersion} ${encodeJson(object)}`;
    const found = this.#done.get(key);
    if (!found) throw new NeededConversion(key, cloneJson(object), apiVersion);
    if ("fault" in found) throw new MergeError(found.fault);
    return cloneJson(found.object);
  }

  /** Runs `work`, and again after each conversion that it needs. */
  async settle<T>(work: () => T | Promise<T>): Promise<T> {
    const added: string[] = [];
    try {
      for (;;) {
        try {
          return await work();
        } catch (error) {
          if (!(error instanceof NeededConversion)) throw error;
          added.push(error.key);
          this.#done.set(error.key, await this.#outcome(error));
        }
      }
    } finally {
      for (const key of added) this.#done.delete(key);
    }
  }

  async #outcome({
    object,
    apiVersion,
  }: NeededConversion): Promise<{ readonly object: JsonObject } | { readonly fault: string }> {
    try {
      return { object: await this.#convert(object, apiVersion) };
    } catch (error) {
      return { fault: reasonOf(error) };
    }
  }
}
