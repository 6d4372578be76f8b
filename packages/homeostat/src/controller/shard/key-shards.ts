// Which keys of one controller this process reconciles, where replicas share them.
import { parseObjectKey } from "../../api/object-meta.ts";
import type { ShardGate } from "../../election/ring/shard-gate.ts";
import { slotOf } from "../../election/ring/slot-ring.ts";

/** What objects a controller keeps together in one replica. */
export type ShardBy = "object" | "namespace" | "controller";

/** The keys of one controller. */
export class KeyShards {
  readonly gate: ShardGate;
  readonly #textOf: (key: string) => string;

  constructor(gate: ShardGate, controller: string, by: ShardBy = "object") {
    this.gate = gate;
    this.#textOf = {
      object: (key: string) => key,
      namespace: (key: string) => parseObjectKey(key).namespace ?? key,
      controller: () => `controller ${controller}`,
    }[by];
  }

  slotOf(key: string): number {
    return slotOf(this.#textOf(key), this.gate.slots);
  }

  /** True while this process reconciles the key. */
  has(key: string): boolean {
    return this.gate.isOpen(this.slotOf(key));
  }

  /** Begins work for a key, for which `end` is to be called; false when it may not. */
  begin(key: string): boolean {
    return this.gate.begin(this.slotOf(key));
  }

  end(key: string): void {
    this.gate.end(this.slotOf(key));
  }
}
