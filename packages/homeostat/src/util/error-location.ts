// Where in the user's code an error was made, from its stack.
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { isOfUser } from "./user-frames.ts";

/** A frame's file, line and column. */
const framePattern =
  /(?:\(|^at (?:async )?)((?:file:\/\/)?\/[^()]*|[A-Za-z]:[\\/][^()]*):(\d+):(\d+)\)?$/;

/**
 * The first frame of the user's code, relative to `cwd`, such as `src/sites.ts:17:47`; undefined
 * when there is none. `own` is the framework's folder, by default this package's. Never throws.
 */
export function locateError(
  error: unknown,
  { cwd, own }: { readonly cwd: string; readonly own?: string },
): string | undefined {
  try {
    const { stack } = error as { readonly stack?: unknown };
    if (typeof stack !== "string") return undefined;
    for (const line of stack.split("\n")) {
      if (!line.startsWith("    at ") || !isOfUser(line, own)) continue;
      const [, place, row, column] = framePattern.exec(line.trim()) ?? [];
      if (!place) continue;
      const file = place.startsWith("file:") ? fileURLToPath(place) : place;
      return `${relative(cwd, file)}:${row}:${column}`;
    }
  } catch {
    // A stack that cannot be read tells nothing.
  }
  return undefined;
}
