// What has flowed along the edges of one controller in the graph: how often each of its sources has
// woken it, and how often it has written to each resource.
import type { RecordedCause } from "../../../queue/workqueue.ts";
import type { RecordedWrite } from "./recorded-attempt.ts";

/** Edges that are told apart; sources and resources of a controller are few. */
const most = 200;

export class Flow {
  readonly #sources = new Map<string, number>();
  readonly #writes = new Map<string, number>();

  /** An attempt begins because of these. */
  woken(causes: readonly RecordedCause[]): void {
    for (const { source = "", times } of causes) count(this.#sources, source, times);
  }

  wrote({ verb, resource, code }: RecordedWrite): void {
    if (code > 0 && code < 400) count(this.#writes, `${verb} ${resource}`, 1);
  }

  /** By source, e.g. `owns Part`. */
  sources(): ReadonlyMap<string, number> {
    return this.#sources;
  }

  /** By verb and resource, e.g. `apply apps/v1 deployments/status`. */
  writes(): ReadonlyMap<string, number> {
    return this.#writes;
  }
}

function count(counts: Map<string, number>, name: string, times: number): void {
  const before = counts.get(name);
  if (before !== undefined || counts.size < most) counts.set(name, (before ?? 0) + times);
}
