// Two timelines side by side.
import type { Act } from "./play.ts";

const width = 58;

/** A block for each act; times in ms after its beginning. */
export function printTimelines(single: readonly Act[], elected: readonly Act[]): string {
  const blocks = single.map((act, i) => printAct(act, elected[i]!));
  const head = `${pad("one replica, restarted by Kubernetes")}two replicas that elect a leader\n`;
  return `\n${head}\n${blocks.join("\n")}\n${explain(single)}`;
}

/** What the times depend on: on a busy machine a start hides the rest. */
function explain(single: readonly Act[]): string {
  const starts = single.map(startMs).toSorted((a, b) => a - b);
  return `Of the times without work above,
- one replica waits for the kubelet, which sees the exit after half a second and waits 10 s, 20 s …
  5 min before the second and further restarts, and for the start of the process: on this machine,
  under its present load, ${starts[0]} to ${starts.at(-1)} ms.
  In a cluster a new pod also waits for scheduling, sandbox and image, and a pod on a node that is
  lost for 5 min.
- two replicas wait for the Lease of a leader that crashes, and for nothing else: its duration is
  the longest time, whatever a start takes and however often they crash. With 15 s, a first restart
  on an idle machine is sooner. A leader that ends releases its Lease, so that an update has no gap.
`;
}

/** From the restart to the first reconcile. */
function startMs({ scenes, idleMs }: Act): number {
  const restarted = scenes.find(({ what }) => / restarted(?: |$)/.test(what));
  return idleMs - (restarted?.atMs ?? 0);
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
