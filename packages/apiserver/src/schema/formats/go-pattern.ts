// `pattern` as Go's regexp interprets it: RE2 syntax, linear time, `$` only at the very end. The
// engine loads with the first pattern in use; most servers need none.
// Upstream: k8s.io/kube-openapi/pkg/validation/validate/rexp.go, values.go (Pattern).
import { createRequire } from "node:module";
import { reasonOf } from "../../apimachinery/errors/server-error.ts";
import { isPlainPattern } from "./plain-pattern.ts";

type Re2 = typeof import("re2js");

/** A pattern that compiles on first use. */
export interface GoPattern {
  /** The pattern as messages quote it, with the error when it does not compile. */
  readonly text: () => string;
  readonly test: (text: string) => boolean;
}

interface Compiled {
  readonly text: string;
  readonly test: (text: string) => boolean;
}

/** Prepares a pattern. One that does not compile matches nothing. */
export function compileGoPattern(pattern: string): GoPattern {
  let compiled: Compiled | undefined;
  const get = (): Compiled => (compiled ??= compile(pattern));
  return { text: () => get().text, test: (text) => get().test(text) };
}

/**
 * Go's error for a pattern, e.g. `error parsing regexp: missing closing ]: …`; undefined when it
 * compiles.
 */
export function goPatternFault(pattern: string): string | undefined {
  return isPlainPattern(pattern) ? undefined : engineFault(pattern);
}

function engineFault(pattern: string): string | undefined {
  try {
    loadRe2().RE2JS.compile(pattern);
    return undefined;
  } catch (error) {
    return reasonOf(error);
  }
}

function compile(pattern: string): Compiled {
  const fault = goPatternFault(pattern);
  if (fault !== undefined)
    return { text: `${pattern}, but pattern is invalid: ${fault}`, test: () => false };
  const machine = loadRe2().RE2JS.compile(pattern);
  return { text: pattern, test: (text) => machine.test(text) };
}

const loadRe2 = (): Re2 => createRequire(import.meta.url)("re2js") as Re2;
