// Objects that are not reconciled for the time being: paused by a person through an annotation, or
// by the program. A pause ends no running reconcile, and holds up finalize too.
import type { CachedObject } from "../cache/informer.ts";

/** An object that carries this annotation, with any value but "false", is paused. */
export const pausedAnnotation = "homeostat.dev/paused";

/** The pauses of one controller. */
export class Pauses {
  readonly #keys = new Set<string>();

  pause(key: string): void {
    this.#keys.add(key);
  }

  /** Returns true when the key was paused. */
  resume(key: string): boolean {
    return this.#keys.delete(key);
  }

  /** What a paused object waits for; undefined when it is not paused. */
  waitsFor(object: CachedObject): string | undefined {
    if (this.#keys.has(object.key)) return "resume()";
    return isAnnotated(object) ? `the removal of annotation ${pausedAnnotation}` : undefined;
  }
}

/** Whether an annotation pauses the object. */
export function isAnnotated(object: CachedObject): boolean {
  const text = object.metadataText("annotations");
  if (!text.includes(pausedAnnotation)) return false;
  const value = (JSON.parse(text) as Readonly<Record<string, string>>)[pausedAnnotation];
  return value !== undefined && value !== "false";
}
