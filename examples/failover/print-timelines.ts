// Two timelines side by side.
import type { Act } from "./play.ts";

const width = 58;

/** A block for each act; times in ms after its beginning. */
export function printTimelines(single: readonly Act[], elected: readonly Act[]): string {
  const blocks = single.map((act, i) => printAct(act, elected[i]!));
  const head = `${pad("one replica, restarted by Kubernetes")}two replicas that elect a leader\n`;
  return `\n${head}\n${blocks.join("\n")}`;
}

function printAct(one: Act, other: Act): string {
  const rows = Math.max(one.scenes.length, other.scenes.length);
  const lines = Array.from({ length: rows }, (_, i) => `${pad(cell(one, i))}${cell(other, i)}`);
  const idle = (act: Act): string => `no work for ${act.idleMs} ms`;
  return [`— ${one.title}`, ...lines, `${pad(idle(one))}${idle(other)}`, ""].join("\n");
}

function cell({ scenes }: Act, i: number): string {
  const scene = scenes[i];
  return scene ? `${String(scene.atMs).padStart(6)}  ${scene.what}` : "";
}

const pad = (text: string): string => `${text.slice(0, width - 2).padEnd(width)}`;
