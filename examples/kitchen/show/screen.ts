// Shows the dinner on a terminal, redrawn in place; elsewhere prints one line per change, without
// colour.
import type { ShownObject } from "./shown-object.ts";

/** Where the dinner is shown. */
export interface Screen {
  show(
    objects: readonly ShownObject[],
    at: { readonly seconds: number; readonly ready: boolean },
  ): void;
  close(): void;
}

/** The part of an output stream that a screen uses. */
export interface Output {
  readonly isTTY?: boolean;
  readonly rows?: number;
  readonly columns?: number;
  write(text: string): unknown;
}

/** Creates a screen. It shows `hint`, the matching kubectl command, once. */
export function createScreen({
  out,
  quiet,
  hint,
}: {
  readonly out: Output;
  readonly quiet: boolean;
  readonly hint: string;
}): Screen {
  if (quiet) return { show() {}, close() {} };
  return out.isTTY ? createLiveScreen(out, hint) : createLineScreen(out, hint);
}

function createLiveScreen(out: Output, hint: string): Screen {
  let drawn: readonly string[] = [];
  let readyAt: number | undefined;
  return {
    show(objects, { seconds, ready }) {
      readyAt = ready ? (readyAt ?? seconds) : undefined;
      const state =
        readyAt === undefined
          ? `${Math.floor(seconds)} s  cooking`
          : `${readyAt.toFixed(1)} s  ${green("dinner is ready")}`;
      const lines = layOut({
        head: `kitchen  ${state}`,
        hint,
        objects,
        rows: out.rows ?? 24,
        columns: out.columns ?? 80,
      });
      if (lines.join("\n") === drawn.join("\n")) return;
      out.write(
        `${drawn.length ? `\u001b[${drawn.length}A` : ""}${lines.map((line) => `\u001b[2K${line}\n`).join("")}\u001b[J`,
      );
      drawn = lines;
    },
    close() {},
  };
}

/**
 * The lines of a frame: one fewer than there are rows, because the cursor is below; none longer
 * than the columns.
 */
function layOut({
  head,
  hint,
  objects,
  rows,
  columns,
}: {
  readonly head: string;
  readonly hint: string;
  readonly objects: readonly ShownObject[];
  readonly rows: number;
  readonly columns: number;
}): readonly string[] {
  const room = Math.max(1, rows - 1 - framing);
  const shown = objects.length <= room ? objects : objects.slice(0, room - 1);
  const more = objects.length - shown.length;
  const body = shown.map((object) =>
    object.ready ? green(cut(formatLine(object), columns)) : cut(formatLine(object), columns),
  );
  const lines = [
    cut(head, columns),
    cut(hint, columns),
    "",
    ...body,
    ...(more ? [cut(`… and ${more} more`, columns)] : []),
    "",
  ];
  return [...lines.slice(0, Math.max(0, rows - 2)), cut("Ctrl-C ends.", columns)];
}

/** Lines of a frame that are not objects: head, hint, two empty ones, and the key to stop. */
const framing = 5;

/** Cuts a line to `columns` visible characters; colours do not count. */
function cut(line: string, columns: number): string {
  return line.replaceAll(colours, "").length <= columns
    ? line
    : `${line.replaceAll(colours, "").slice(0, Math.max(0, columns - 1))}…`;
}

function createLineScreen(out: Output, hint: string): Screen {
  const last = new Map<string, string>();
  let announced = false;
  return {
    show(objects, { seconds, ready }) {
      if (!announced) out.write(`${hint}\n`);
      announced = true;
      for (const object of objects) {
        const line = formatLine(object);
        if (last.get(`${object.kind}/${object.name}`) === line) continue;
        last.set(`${object.kind}/${object.name}`, line);
        out.write(`${seconds.toFixed(1).padStart(5)} s  ${line}\n`);
      }
      if (ready && last.get("") !== "ready") {
        last.set("", "ready");
        out.write(`${seconds.toFixed(1).padStart(5)} s  dinner is ready\n`);
      }
    },
    close() {},
  };
}

function formatLine({ kind, name, ready, because }: ShownObject): string {
  return `${kind.padEnd(11)} ${name.padEnd(26)} ${ready ? "ready" : because}`;
}

const colours = /\u001b\[\d+m/g;

function green(text: string): string {
  return `\u001b[32m${text}\u001b[0m`;
}
