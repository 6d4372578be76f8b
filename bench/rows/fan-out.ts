// Watch fan-out: one writer, 1 to 1000 watchers; deliveries per second and the server's CPU per
// delivery.
import type { Client } from "homeostat/client";
import { cpuSeconds } from "../measure/process-usage.ts";
import { order, Order } from "./objects.ts";
import type { Figures, ServerRow } from "./row.ts";
import { inLanes, withClient } from "./with-client.ts";

const writes = 500;

/** Fan-out to `watchers` watches of one namespace. */
export function fanOutRow(watchers: number): ServerRow {
  const name = `fan-out-${watchers}`;
  return {
    at: "server",
    name,
    what: `${writes} creates seen by ${watchers} watchers`,
    note: "CPU per delivery includes the write's share",
    run: (place, { factor }) =>
      withClient(place, name, async (client): Promise<Figures> => {
        const count = Math.round(writes * factor);
        // The first create waits until the definition is established; upstream may close watches
        // that were opened before.
        await client.create(Order, order(count));
        const path = `/apis/bench.example.com/v1/namespaces/${client.namespace}/orders?watch=true&resourceVersion=${(await client.list(Order, { namespace: client.namespace })).resourceVersion}`;
        const watches = await openWatches(client, { path, watchers, expected: watchers * count });
        const cpu = cpuSeconds(place.pids);
        const start = performance.now();
        await inLanes(count, 8, (i) => client.create(Order, order(i)));
        const written = performance.now();
        const delivered = await watches.done;
        const end = performance.now();
        const used = cpuSeconds(place.pids);
        watches.close();
        return {
          "deliveries per s": (delivered * 1000) / (end - start),
          "tail ms": end - written,
          "server CPU µs per delivery":
            cpu === undefined || used === undefined ? undefined : ((used - cpu) * 1e6) / delivered,
        };
      }),
  };
}

interface Watches {
  /** Resolves to the number of deliveries once all have arrived. */
  readonly done: Promise<number>;
  close(): void;
}

/** Opens watches that count deliveries, and waits until all are open. */
async function openWatches(
  client: Client,
  { path, watchers, expected }: { path: string; watchers: number; expected: number },
): Promise<Watches> {
  let delivered = 0;
  const all = Promise.withResolvers<number>();
  const opened: Promise<void>[] = [];
  const open = (ready: () => void): ReturnType<Client["openStream"]> =>
    client.openStream(
      { method: "GET", path },
      {
        opened: ready,
        data(chunk) {
          for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) delivered++;
          if (delivered >= expected) all.resolve(delivered);
          return true;
        },
        closed: (error) =>
          all.reject(
            new Error(`a watch ended after ${delivered} of ${expected} deliveries`, {
              cause: error,
            }),
          ),
      },
    );
  const streams = Array.from({ length: watchers }, () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    opened.push(promise);
    return open(resolve);
  });
  await Promise.all(opened);
  return { done: all.promise, close: () => streams.forEach((stream) => stream.close()) };
}
