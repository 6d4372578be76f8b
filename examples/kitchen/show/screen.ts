// The dinner on a terminal, redrawn in place; elsewhere one line per change. Colour only on a terminal.
import type { ShownObject } from "./watch-dinner.ts";

/** Where the dinner is shown. */
export interface Screen {
  show(objects: readonly ShownObject[], at: { readonly seconds: number; readonly ready: boolean }): void;
  close(): void;
}

/** What a screen needs of an output. */
export interface Output {
  readonly isTTY?: boolean;
  readonly rows?: number;
  write(text: string): unknown;
}

/** Creates a screen. `hint` is shown once: how to look at the same with kubectl. */
export function createScreen({ out, quiet, hint }: { readonly out: Output; readonly quiet: boolean; readonly hint: string }): Screen {
  if (quiet) return { show() {}, close() {} };
  return out.isTTY ? createLiveScreen(out, hint) : createLineScreen(out, hint);
}

function createLiveScreen(out: Output, hint: string): Screen {
  let drawn = 0;
  const draw = (lines: readonly string[]): void => {
    const shown = lines.slice(0, Math.max(5, (out.rows ?? 40) - 1));
    out.write(`${drawn ? `\u001b[${drawn}A` : ""}${shown.map((line) => `\u001b[2K${line}\n`).join("")}\u001b[J`);
    drawn = shown.length;
  };
  return {
    show(objects, { seconds, ready }) {
      const head = `\u001b[1mkitchen\u001b[0m  ${seconds.toFixed(1)} s  ${ready ? "\u001b[32mdinner is ready\u001b[0m" : "cooking"}    ${hint}`;
      draw([head, "", ...objects.map((object) => paint(object, formatLine(object))), "", ready ? "Ctrl-C ends." : ""]);
    },
    close() {},
  };
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

function paint({ ready }: ShownObject, line: string): string {
  return ready ? `\u001b[32m${line}\u001b[0m` : line;
}
