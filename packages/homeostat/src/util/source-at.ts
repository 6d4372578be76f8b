// The text of a program at a frame of its stack.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const framePattern = /(?:\(|^\s*at (?:async )?)(?:(file:\/\/[^()]*)|(\/[^()]*)):(\d+):(\d+)\)?$/;

/** Longest text that is returned. */
const most = 200;

/** The rest of the line where a frame of a stack is; undefined when it cannot be read. */
export function sourceAt(frame: string): string | undefined {
  const [, url, path, line, column] = framePattern.exec(frame) ?? [];
  if (line === undefined) return undefined;
  try {
    const text = readFileSync(url === undefined ? path! : fileURLToPath(url), "utf8");
    const at = Number(column) - 1;
    return text.split("\n")[Number(line) - 1]?.slice(at, at + most);
  } catch {
    return undefined;
  }
}
