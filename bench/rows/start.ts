// Start-up times: a process until it listens, a definition until its first custom resource, an
// operator until its first reconcile.
import { spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { text } from "node:stream/consumers";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { installDefinitions } from "homeostat";
import { createClient, loadKubeconfig } from "homeostat/client";
import { residentMegabytes } from "../measure/process-usage.ts";
import type { Place } from "../places/place.ts";
import { published } from "../places/published-command.ts";
import { inLanes, withClient } from "./with-client.ts";
import { order, Order, orderLike } from "./objects.ts";
import type { Figures, ServerRow, StartRow } from "./row.ts";

const program = fileURLToPath(new URL("first-reconcile.ts", import.meta.url));
const inProcess = fileURLToPath(new URL("second-server.ts", import.meta.url));
const compileCache = join(tmpdir(), "homeostat-bench-compile-cache");

/**
 * From starting the process to the first answer of /readyz (ours: to the line that says ready,
 * after which /readyz answers).
 */
export const listenRow: StartRow = {
  at: "start",
  name: "start-to-listening",
  what: "process start to ready, and resident memory a second later",
  note: "the real stack is two processes and has more kinds; ours starts its controllers just behind the ready line, within the second",
  async run(peer): Promise<Figures> {
    const start = performance.now();
    const place = await peer.start();
    const ms = performance.now() - start;
    await sleep(1000);
    const resident = residentMegabytes(place.pids);
    await place.stop();
    return { ms, "resident MB": resident };
  },
};

/** Resident memory of an idle server, and with 50 definitions of the size that operators ship. */
export const memoryRow: StartRow = {
  at: "start",
  name: "memory",
  what: "resident memory 3 s after the start, and 3 s after 50 CRDs have been applied",
  async run(peer): Promise<Figures> {
    const place = await peer.start();
    const client = createClient({
      access: await loadKubeconfig({ path: place.kubeconfigPath }),
      fieldManager: "bench",
    });
    try {
      await sleep(3000);
      const empty = residentMegabytes(place.pids);
      await installDefinitions(
        client,
        Array.from({ length: 50 }, (_, i) => orderLike(i)),
      );
      await sleep(3000);
      return { "empty MB": empty, "50 CRDs MB": residentMegabytes(place.pids) };
    } finally {
      await client.close();
      await place.stop();
    }
  },
};

/** What a test pays for a server of its own: startApiServer() in a process that has one already. */
export const secondServerRow: StartRow = {
  at: "start",
  name: "second-server",
  what: "startApiServer() of the published packages in one process: the first, and the median of ten more; each answers a request before it counts",
  note: "upstream has no second server in a process",
  async run(peer): Promise<Figures | undefined> {
    if (peer.name !== "homeostat") return undefined;
    const child = spawn(process.execPath, ["--expose-gc", inProcess], {
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, ...published, NODE_COMPILE_CACHE: compileCache },
    });
    const output = await text(child.stdout);
    return JSON.parse(output) as Figures;
  },
};

/**
 * On a server without the definition: apply it, and create the first object as soon as it is
 * established.
 */
export const definitionRow: StartRow = {
  at: "start",
  name: "definition-to-object",
  what: "CRD applied to first custom resource created, and to the first list answered",
  note: 'upstream lets a create within two seconds of Established wait on purpose, for the sake of several servers: quote "listed" beside "created"',
  async run(peer): Promise<Figures> {
    const place = await peer.start();
    const client = createClient({
      access: await loadKubeconfig({ path: place.kubeconfigPath }),
      fieldManager: "bench",
    });
    try {
      await client.request({ method: "GET", path: "/version" });
      const start = performance.now();
      await installDefinitions(client, [Order]);
      const established = performance.now();
      await client.list(Order);
      const listed = performance.now();
      await client.create(Order, order(0));
      return {
        "established ms": established - start,
        "listed ms": listed - start,
        "created ms": performance.now() - start,
      };
    } finally {
      await client.close();
      await place.stop();
    }
  },
};

/** An operator's process, from its start to its first reconcile, with 100 objects there. */
export const firstReconcileRow: ServerRow = {
  at: "server",
  name: "start-to-reconcile",
  what: "an operator's process start to its first reconcile, 100 objects present; TypeScript sources, compiled once before",
  run: (place) =>
    withClient(place, "first", async (client): Promise<Figures> => {
      await inLanes(100, 8, (i) => client.create(Order, order(i)));
      await startOnce(place, client.namespace);
      const { ms, resident } = await startOnce(place, client.namespace);
      return { ms, "resident MB": resident };
    }),
};

/**
 * Starts the operator with Node's compile cache, as an installed one has it, and stops it once it
 * has reconciled.
 */
async function startOnce(
  place: Place,
  namespace: string,
): Promise<{ readonly ms: number; readonly resident: number | undefined }> {
  const start = performance.now();
  const child = spawn(
    process.execPath,
    ["--conditions=homeostat-source", program, place.kubeconfigPath, namespace],
    {
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, NODE_COMPILE_CACHE: compileCache },
    },
  );
  await once(child.stdout, "data");
  const ms = performance.now() - start;
  const resident = residentMegabytes([child.pid!]);
  child.kill("SIGTERM");
  await once(child, "exit");
  return { ms, resident };
}
