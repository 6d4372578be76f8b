// Watch fan-out: one writer, 1 to 1000 watchers; deliveries per second and the server's CPU per
// delivery.
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
        // Definitions settle, and upstream's first create waits for that; watches opened before may
        // be ended by the server.
        await client.create(Order, order(count));
        const path = `/apis/bench.example.com/v1/namespaces/${client.namespace}/orders?watch=true&resourceVersion=${(await client.list(Order, { namespace: client.namespace })).resourceVersion}`;
        let delivered = 0;
        const all = Promise.withResolvers<void>();
        const opened: Promise<void>[] = [];
        const streams = Array.from({ length: watchers }, () => {
          let open = (): void => {};
          opened.push(new Promise((resolve) => (open = resolve)));
          return client.openStream(
            { method: "GET", path },
            {
              opened: () => open(),
              data(chunk) {
                for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1))
                  delivered++;
                if (delivered >= watchers * count) all.resolve();
                return true;
              },
              closed: (error) =>
                all.reject(
                  new Error(
                    `${name}: a watch ended after ${delivered} of ${watchers * count} deliveries`,
                    { cause: error },
                  ),
                ),
            },
          );
        });
        await Promise.all(opened);
        const cpu = cpuSeconds(place.pids);
        const start = performance.now();
        await inLanes(count, 8, (i) => client.create(Order, order(i)));
        const written = performance.now();
        await all.promise;
        const end = performance.now();
        const used = cpuSeconds(place.pids);
        for (const stream of streams) stream.close();
        return {
          "deliveries per s": (delivered * 1000) / (end - start),
          "tail ms": end - written,
          "server CPU µs per delivery":
            cpu === undefined || used === undefined ? undefined : ((used - cpu) * 1e6) / delivered,
        };
      }),
  };
}
