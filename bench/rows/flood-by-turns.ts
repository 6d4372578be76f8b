// The flood in slices that controllers take in turns, so that what else the machine does meets all
// of them alike.
import type { Client } from "homeostat/client";
import { cpuSeconds, perUnit } from "../measure/process-usage.ts";
import type { Place } from "../places/place.ts";
import { order, Order } from "./objects.ts";
import type { Figures, Scale } from "./row.ts";
import { type Operator, type OperatorChoices, startOperator } from "./start-operator.ts";
import { inLanes, namespaces, withClient } from "./with-client.ts";

export const orders = 10_000;
export const slices = 20;

/** The CPU of each controller per order; the first is what the others are compared with. */
export const floodByTurns = (
  place: Place,
  { factor }: Scale,
  contenders: ReadonlyMap<string, OperatorChoices>,
): Promise<Figures> =>
  withClient(place, "turns", async (client): Promise<Figures> => {
    const lanes: Lane[] = [];
    try {
      for (const [name, choices] of contenders) {
        const own = client.with({ namespace: `${client.namespace}-${name}` });
        await client.create(namespaces, {
          apiVersion: "v1",
          kind: "Namespace",
          metadata: { name: own.namespace },
        });
        lanes.push(new Lane(name, own, await startOperator(place, own, choices)));
      }
      const size = Math.round((orders * factor) / slices);
      for (let slice = 0; slice < slices; slice++) {
        if (slice === slices / 4) for (const lane of lanes) lane.reset();
        // Each is first, and last, as often as the others.
        const first = slice % lanes.length;
        for (const lane of [...lanes.slice(first), ...lanes.slice(0, first)])
          await lane.flood(size);
      }
      return figuresOf(lanes);
    } finally {
      for (const lane of lanes) await lane.operator.stop();
    }
  });

/** A controller at work in a namespace of its own. */
class Lane {
  readonly name: string;
  readonly operator: Operator;
  readonly #client: Client;
  #created = 0;
  #measured = 0;
  #cpu: number | undefined = 0;

  constructor(name: string, client: Client, operator: Operator) {
    this.name = name;
    this.#client = client;
    this.operator = operator;
  }

  /** Microseconds of CPU for each order since `reset`. */
  get cost(): number | undefined {
    return perUnit(this.#cpu, 0, this.#measured);
  }

  reset(): void {
    this.#measured = 0;
    this.#cpu = 0;
  }

  async flood(size: number): Promise<void> {
    const before = cpuSeconds([this.operator.pid]);
    const from = this.#created;
    this.#created += size;
    await inLanes(size, 16, (i) => this.#client.create(Order, order(from + i)));
    for (
      let now = await this.operator.ask("progress");
      now.reconciled < this.#created || !now.idle;
      now = await this.operator.ask("progress")
    )
      await new Promise((resolve) => setTimeout(resolve, 20));
    const after = cpuSeconds([this.operator.pid]);
    this.#measured += size;
    this.#cpu =
      after === undefined || before === undefined ? undefined : this.#cpu! + after - before;
  }
}

function figuresOf([first, ...others]: readonly Lane[]): Figures {
  const figures: Record<string, number | undefined> = { [`${first!.name} CPU µs`]: first!.cost };
  for (const { name, cost } of others) {
    figures[`${name} CPU µs`] = cost;
    figures[`${name} more %`] =
      cost === undefined || first!.cost === undefined ? undefined : (cost / first!.cost - 1) * 100;
  }
  return figures;
}
