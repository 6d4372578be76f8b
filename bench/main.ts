// `npm run bench`: runs all rows, or those named, against our server and the real stack in turn (A
// B A B …), and prints medians and ratios. --output writes JSON with every round. Benchmarks never
// fail for being slow.
import { writeFileSync } from "node:fs";
import { cpus, loadavg, release } from "node:os";
import { parseArgs } from "node:util";
import { spread } from "./measure/statistics.ts";
import {
  clientNode,
  controllerRuntime,
  homeostatOperator,
  kubeRs,
  type OperatorPeer,
} from "./peers/operator-peer.ts";
import { bareNode } from "./places/bare-node.ts";
import { homeostat } from "./places/homeostat.ts";
import type { Peer, Place } from "./places/place.ts";
import { buildCommand } from "./places/published-command.ts";
import { reference } from "./places/reference.ts";
import { celRow } from "./rows/cel.ts";
import { fanOutRows } from "./rows/fan-out.ts";
import { listRows } from "./rows/lists.ts";
import { coldStartRow, growthRows, standingFloodRow, stormRow, syncRow } from "./rows/operators.ts";
import { cacheRow, floodRow, latencyRow } from "./rows/reconcile.ts";
import { requestRows } from "./rows/requests.ts";
import type { Figures, LibraryRow, OperatorRow, Row, Scale } from "./rows/row.ts";
import { inspectedFloodRow } from "./rows/inspected-flood.ts";
import { manyServersRow, scenarioRow } from "./rows/scenarios.ts";
import { tracedFloodRow } from "./rows/traced-flood.ts";
import { reviewsRow } from "./rows/webhooks.ts";
import {
  definitionRow,
  firstReconcileRow,
  listenRow,
  memoryRow,
  secondServerRow,
} from "./rows/start.ts";

const rows: readonly Row[] = [
  listenRow,
  secondServerRow,
  memoryRow,
  definitionRow,
  firstReconcileRow,
  ...requestRows,
  ...listRows,
  ...fanOutRows,
  latencyRow,
  cacheRow,
  floodRow,
  tracedFloodRow,
  inspectedFloodRow,
  standingFloodRow,
  syncRow,
  stormRow,
  coldStartRow,
  ...growthRows,
  celRow,
  reviewsRow,
  scenarioRow,
  manyServersRow,
];

/** In the order of their turns; ours is the first. */
const operatorPeers: readonly OperatorPeer[] = [
  homeostatOperator,
  controllerRuntime,
  kubeRs,
  clientNode,
];

const usage = `npm run bench -- [ROW…] [--rounds N] [--factor F] [--output FILE] [--alone] [--bare]

Rows: ${rows.map((row) => row.name).join(", ")}
  --rounds N     rounds per row, default 3; servers take turns within a round
  --factor F     multiplies object counts, default 1
  --output FILE  write JSON with every round
  --alone        measure our server only
  --bare         also measure a Node server that does nothing: the limit of the platform

Rows of operators compare ${operatorPeers.map(({ name }) => name).join(", ")}. Peers that are not built are
left out; the first lines of the output say how to build them.
`;

/** Conditions of every row. */
const fairness = `Both servers run in separate processes, over TLS with a bearer token, JSON, HTTP/1.1, with the same client and load from this
process. Upstream keeps objects in etcd (fsync off), ours in memory; both enforce RBAC. Shared
cores distort CPU per unit least; the client also limits rates at 16 lanes. × is the ratio: above 1 ours is better, below 1 worse.
Operators list and watch one namespace of our server, without a rate limit of their own. Each writes its status as its framework's
examples do: homeostat and kube-rs apply, the others update. Heap is what is live: V8's and Go's after a collection, Rust's allocated.
`;

interface RowResult {
  readonly row: string;
  readonly peer: string;
  readonly note: string | undefined;
  /** Servers only. */
  readonly durability?: string;
  readonly rounds: Figures[];
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      rounds: { type: "string", default: "3" },
      factor: { type: "string", default: "1" },
      output: { type: "string" },
      alone: { type: "boolean" },
      bare: { type: "boolean" },
      help: { type: "boolean" },
    },
  });
  const unknown = positionals.find((name) => !rows.some((row) => row.name === name));
  if (values.help || unknown)
    return void process.stdout.write(
      `${unknown ? `no row is called "${unknown}"\n\n` : ""}${usage}`,
    );
  const chosen = positionals.length ? rows.filter((row) => positionals.includes(row.name)) : rows;
  await prepare();
  const absent = reference.absent();
  if (absent && !values.alone) process.stdout.write(`peer absent: ${reference.name} (${absent})\n`);
  const peers = [
    homeostat,
    ...(values.alone || absent ? [] : [reference]),
    ...(values.bare ? [bareNode] : []),
  ];
  const operators = presentOperators(values.alone ? [homeostatOperator] : operatorPeers);
  const results: RowResult[] = [];
  process.stdout.write(fairness);
  for (const row of chosen) {
    const scale: Scale = { factor: Number(values.factor) };
    const rounds = Number(values.rounds);
    process.stdout.write(`\n${row.name}: ${row.what}\n${row.note ? `  (${row.note})\n` : ""}`);
    const measured = await measure(row, { peers, operators, rounds, scale });
    print(measured);
    results.push(...measured);
    if (values.output)
      writeFileSync(
        values.output,
        `${JSON.stringify({ factor: Number(values.factor), machine: `${cpus().length} × ${cpus()[0]?.model}, Linux ${release()}`, load: loadavg(), node: process.version, fairness, at: new Date().toISOString(), results }, null, 1)}\n`,
      );
  }
}

/**
 * Builds what is measured, and uses it once: Node keeps what the first process compiled until it
 * ended, and later ones read that.
 */
async function prepare(): Promise<void> {
  buildCommand();
  await definitionRow.run(homeostat, { factor: 1 });
}

function presentOperators(all: readonly OperatorPeer[]): readonly OperatorPeer[] {
  return all.filter((peer) => {
    const absent = peer.absent();
    if (absent) process.stdout.write(`peer absent: ${peer.name} (${absent})\n`);
    return !absent;
  });
}

interface Turns {
  readonly peers: readonly Peer[];
  readonly operators: readonly OperatorPeer[];
  readonly rounds: number;
  readonly scale: Scale;
}

function measure(row: Row, turns: Turns): Promise<readonly RowResult[]> {
  const { peers, rounds, scale } = turns;
  if (row.at === "library") return runLibraries(row, rounds, scale);
  if (row.at === "operator") return runOperators(row, turns);
  return runServers(row, peers, rounds, scale);
}

async function runOperators(
  row: OperatorRow,
  { operators, rounds, scale }: Turns,
): Promise<readonly RowResult[]> {
  const results = operators.map(({ name }): RowResult => ({
    row: row.name,
    peer: name,
    note: row.note,
    rounds: [],
  }));
  for (let round = 0; round < rounds; round++)
    for (const [i, operator] of operators.entries()) {
      const place = await homeostat.start();
      try {
        results[i]!.rounds.push(await row.run(operator, place, scale));
      } finally {
        await place.stop();
      }
    }
  return results;
}

async function runLibraries(
  row: LibraryRow,
  rounds: number,
  scale: Scale,
): Promise<readonly RowResult[]> {
  const results = row.contenders.map(({ name }): RowResult => ({
    row: row.name,
    peer: name,
    note: row.note,
    rounds: [],
  }));
  for (let round = 0; round < rounds; round++)
    for (const [i, contender] of row.contenders.entries())
      results[i]!.rounds.push(await contender.run(scale));
  return results;
}

async function runServers(
  row: Exclude<Row, LibraryRow | OperatorRow>,
  peers: readonly Peer[],
  rounds: number,
  scale: Scale,
): Promise<readonly RowResult[]> {
  const results = peers.map(({ name, durability }): RowResult => ({
    row: row.name,
    peer: name,
    note: row.note,
    durability,
    rounds: [],
  }));
  for (let round = 0; round < rounds; round++)
    for (const [i, peer] of peers.entries()) {
      if (row.at === "start") {
        const figures = await row.run(peer, scale);
        if (figures) results[i]!.rounds.push(figures);
        continue;
      }
      const place: Place = await peer.start();
      try {
        results[i]!.rounds.push(await row.run(place, scale));
      } finally {
        await place.stop();
      }
    }
  return results;
}

function print(results: readonly RowResult[]): void {
  const [ours] = results;
  for (const name of Object.keys(ours?.rounds[0] ?? {})) {
    const cells = results.map((result) => ({
      peer: result.peer,
      durability: result.durability,
      ...spread(result.rounds.flatMap((figures) => figures[name] ?? [])),
    }));
    const ratios = cells.slice(1).map(({ median }) => {
      const times = median / cells[0]!.median;
      return ` ×${format(/\bper s$/.test(name) ? 1 / times : times)}`;
    });
    const ratio = cells[0]!.median > 0 && ratios.length > 0 ? `  ${ratios.join("")}` : "";
    process.stdout.write(
      `  ${name.padEnd(28)}${cells.map((cell) => `${cell.peer}${cell.durability === undefined ? "" : ` (${cell.durability})`} ${format(cell.median)} [${format(cell.min)} … ${format(cell.max)}]`).join("   ")}${ratio}\n`,
    );
  }
}

function format(value: number): string {
  if (!Number.isFinite(value)) return "–";
  return Math.abs(value) >= 100 ? value.toFixed(0) : value.toPrecision(3);
}

await main();
