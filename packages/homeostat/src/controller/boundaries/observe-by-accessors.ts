// Notices reads by name without a proxy, so that the maps stay plain to structuredClone and all
// else: each key of a copy is an accessor. A copy or a comparison of the whole map reads all keys
// equally often; a key that is read more often than another is read by name. Of the only key of a
// map, the program's text tells. Keys that are missing are not noticed: test clusters, which use
// proxies, notice them.
import { inspect } from "node:util";
import { sourceAt } from "../../util/source-at.ts";

type Values = Readonly<Record<string, string>>;

/** A copy of a map that calls `read` once the code that has read a key by name has yielded. */
export function observeByAccessors(values: Values, read: (key: string) => void): Values {
  const keys = Object.keys(values);
  const count = keys.length > 1 ? countReads(keys, read) : placeReads(read);
  const copy = {};
  for (const key of keys)
    Object.defineProperty(copy, key, {
      enumerable: true,
      configurable: true,
      get: function get() {
        count(key, get);
        return values[key];
      },
      set(value: string) {
        const whole = { value, enumerable: true, configurable: true, writable: true };
        Object.defineProperty(copy, key, whole);
      },
    });
  Object.defineProperty(copy, inspect.custom, { value: () => values });
  return Object.isFrozen(values) ? Object.freeze(copy) : copy;
}

/** Receives a read of a key, and the function below which its caller is. */
type Count = (key: string, below: () => unknown) => void;

/** Judges by how often each key has been read since the code yielded last. */
function countReads(keys: readonly string[], read: (key: string) => void): Count {
  const counts = new Map(keys.map((key) => [key, 0]));
  let isWaiting = false;
  const judge = (): void => {
    isWaiting = false;
    const fewest = Math.min(...counts.values());
    for (const [key, count] of counts) {
      counts.set(key, 0);
      if (count > fewest) read(key);
    }
  };
  return (key) => {
    counts.set(key, counts.get(key)! + 1);
    if (!isWaiting) queueMicrotask(judge);
    isWaiting = true;
  };
}

/** Judges by the program's text where a key is read. */
function placeReads(read: (key: string) => void): Count {
  let seen: string | undefined;
  return (key, below) => {
    const caller: { readonly stack?: string } = {};
    Error.captureStackTrace(caller, below);
    const frame = /\n(.*)/.exec(caller.stack ?? "")?.[1] ?? "";
    if (frame === seen) return;
    seen = frame;
    queueMicrotask(() => {
      if (isNamed(sourceAt(frame), key)) read(key);
    });
  };
}

/** `labels.tier`, `{ tier }`, `labels["tier"]`, and constants in upper case: `labels[TIER]`. */
function isNamed(source: string | undefined, key: string): boolean {
  const [, quoted, constant] =
    /^\[?(?:["'`]([^"'`]*)["'`]|([A-Z][A-Z0-9_]+)\b)/.exec(source ?? "") ?? [];
  if (quoted !== undefined) return quoted === key;
  if (constant !== undefined) return true;
  return /^[\w$]+/.exec(source ?? "")?.[0] === key;
}
