// The text of a program at frames of its stacks.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const framePattern = /(?:\(|^\s*at (?:async )?)(?:(file:\/\/[^()]*)|(\/[^()]*)):(\d+):(\d+)\)?$/;

/** Longest text that is returned. */
const most = 200;
/** Frames remembered; what follows is read anew. */
const remembered = 1000;

/** The texts that were asked for: a bundle may have megabytes, and the same frames come again. */
export class SourceTexts {
  readonly #texts = new Map<string, Line | undefined>();

  /** The rest of the line where a frame of a stack is; undefined when it cannot be read. */
  at(frame: string): string | undefined {
    return this.#lineAt(frame)?.after;
  }

  /** The line before a frame of a stack; undefined when it cannot be read. */
  before(frame: string): string | undefined {
    return this.#lineAt(frame)?.before;
  }

  #lineAt(frame: string): Line | undefined {
    if (this.#texts.has(frame)) return this.#texts.get(frame);
    const text = read(frame);
    if (this.#texts.size < remembered) this.#texts.set(frame, text);
    return text;
  }
}

interface Line {
  readonly before: string;
  readonly after: string;
}

function read(frame: string): Line | undefined {
  const [, url, path, line, column] = framePattern.exec(frame) ?? [];
  if (line === undefined) return undefined;
  try {
    const program = readFileSync(url === undefined ? path! : fileURLToPath(url), "utf8");
    const at = Number(column) - 1;
    const text = program.split("\n")[Number(line) - 1];
    if (text === undefined) return undefined;
    const before = copy(text.slice(Math.max(0, at - most), at));
    return { before, after: copy(text.slice(at, at + most)) };
  } catch {
    return undefined;
  }
}

/** A slice would keep the whole program. */
const copy = (text: string): string => Buffer.from(text).toString();
