// Random numbers that code takes from Node itself: within a simulated process they come from the
// process's seed.
import crypto from "node:crypto";
import { type Runtime, unitInterval, uuid } from "homeostat/runtime";
import type { Replacements } from "./replacements.ts";

type Done<T> = (error: null, value: T) => void;

/** Replaces them; `current` is the runtime of the process that asks, undefined outside of all. */
export function replaceRandomness(
  replaced: Replacements,
  current: () => Runtime | undefined,
): void {
  const replace = (
    owner: object,
    name: string,
    virtual: (runtime: Runtime, ...args: never[]) => unknown,
  ): void =>
    replaced.replace(owner, name, (real) => (...args: never[]) => {
      const runtime = current();
      return runtime ? virtual(runtime, ...args) : (Reflect.apply(real, owner, args) as unknown);
    });
  replace(Math, "random", ({ entropy }) => unitInterval(entropy));
  for (const owner of [crypto, globalThis.crypto])
    replace(owner, "randomUUID", ({ entropy }) => uuid(entropy));
  // That of node:crypto reads this one.
  replace(globalThis.crypto, "getRandomValues", fill);
  replace(crypto, "randomBytes", (runtime, size: number, done?: Done<Buffer>) =>
    answer(runtime, Buffer.from(runtime.entropy.bytes(size)), done),
  );
  replace(crypto, "randomFillSync", fill);
  replace(crypto, "randomInt", (runtime, ...args) => randomInt(runtime, args));
}

/** As Node's functions that take a callback, or none. */
function answer<T>({ defer }: Runtime, value: T, done: Done<T> | undefined): T | undefined {
  if (done === undefined) return value;
  defer(() => done(null, value));
  return undefined;
}

function fill<T extends ArrayBufferView>(
  { entropy }: Runtime,
  view: T,
  from = 0,
  size?: number,
): T {
  const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
  const part = bytes.subarray(from, size === undefined ? undefined : from + size);
  part.set(entropy.bytes(part.length));
  return view;
}

/** `([min,] max [, callback])` */
function randomInt(runtime: Runtime, args: readonly unknown[]): number | undefined {
  const numbers = args.filter((one) => typeof one === "number");
  const [min, max] = numbers.length > 1 ? numbers : [0, ...numbers];
  const value = min! + Math.floor(unitInterval(runtime.entropy) * (max! - min!));
  return answer(runtime, value, args.find((one) => typeof one === "function") as Done<number>);
}
