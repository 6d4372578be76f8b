// Go's regular expressions. The first pattern loads the engine. Patterns are not cached: callers
// that use one often keep it.
// Upstream: Go's regexp package (RE2 syntax) and the texts of its errors.
import { createRequire } from "node:module";
import { CelError } from "../values/cel-error.ts";

/** One compiled pattern. */
export interface Pattern {
  /** Whether the text has a match. */
  test(text: string): boolean;
  /** The first match. */
  find(text: string): string | undefined;
  /** All matches, at most `limit`; no limit when it is negative. */
  findAll(text: string, limit: number): readonly string[];
}

interface Matcher {
  find(): boolean;
  group(): string;
  start(): number;
  end(): number;
}
interface Engine {
  readonly RE2JS: {
    compile(pattern: string): { matcher(text: string): Matcher; test(text: string): boolean };
  };
}

const require = createRequire(import.meta.url);

/** Compiles a pattern. Throws a CelError with Go's text. */
export function compilePattern(source: string): Pattern {
  const { RE2JS } = require("re2js") as Engine;
  let program: ReturnType<Engine["RE2JS"]["compile"]>;
  try {
    program = RE2JS.compile(source);
  } catch (error) {
    throw new CelError((error as Error).message);
  }
  const findAll = (text: string, limit: number): readonly string[] => {
    const matcher = program.matcher(text);
    const found: string[] = [];
    let end = -1;
    while ((limit < 0 || found.length < limit) && matcher.find()) {
      // Go skips an empty match right after another match.
      if (matcher.end() > matcher.start() || matcher.start() !== end) found.push(matcher.group());
      end = matcher.end();
    }
    return found;
  };
  return { test: (text) => program.test(text), find: (text) => findAll(text, 1)[0], findAll };
}
