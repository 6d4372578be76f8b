// Notices reads by name without a proxy, so that the maps stay plain to structuredClone and all
// else: each key of a copy is an accessor. Of several keys, how often each is read tells; of the
// only key of a map, the program's text. Keys that are missing are not noticed: test clusters,
// which use proxies, notice them.
import { inspect } from "node:util";
import { SourceTexts } from "../../util/source-texts.ts";
import { ReadCounts } from "./read-counts.ts";

type Values = Readonly<Record<string, string>>;

/** A copy of a map that calls `read` once the code that has read a key by name has yielded. */
export function observeByAccessors(
  values: Values,
  read: (key: string) => void,
  sources: SourceTexts = new SourceTexts(),
): Values {
  const keys = Object.keys(values);
  const count = keys.length > 1 ? countReads(keys, read) : placeReads(read, sources);
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
  const counts = new ReadCounts(read);
  for (const key of keys) counts.follow(key);
  return (key) => void counts.counts(key);
}

/** Judges by the program's text where a key is read. */
function placeReads(read: (key: string) => void, sources: SourceTexts): Count {
  let seen: string | undefined;
  return (key, below) => {
    const caller: { readonly stack?: string } = {};
    Error.captureStackTrace(caller, below);
    const frame = /\n(.*)/.exec(caller.stack ?? "")?.[1] ?? "";
    if (frame === seen) return;
    seen = frame;
    queueMicrotask(() => {
      if (isNamed(sources.at(frame), key)) read(key);
    });
  };
}

/**
 * `labels.tier`, `labels?.tier`, `{ tier }`, `labels["tier"]`, and constants in upper case:
 * `labels[TIER]`.
 */
function isNamed(source: string | undefined, key: string): boolean {
  // Of an optional chain, the place is that of `?.`.
  const text = (source ?? "").replace(/^\?\.\s*/, "");
  const [, quoted, constant] = /^\[?(?:["'`]([^"'`]*)["'`]|([A-Z][A-Z0-9_]+)\b)/.exec(text) ?? [];
  if (quoted !== undefined) return quoted === key;
  if (constant !== undefined) return true;
  return /^[\w$]+/.exec(text)?.[0] === key;
}
