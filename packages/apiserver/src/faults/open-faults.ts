// Opens the faults of a server: the filter that commits them, and their interface in this process
// and over HTTP. Loaded only by servers that are asked for faults.
import type { Runtime } from "homeostat/runtime";
import { type Listener, listen } from "../http/listen.ts";
import type { Store } from "../storage/store.ts";
import { createFaultFilter, type FaultFilter } from "./commit-faults.ts";
import type { Faults } from "./fault.ts";
import { FaultTable } from "./fault-table.ts";
import { parseFault, parseMatch } from "./parse-fault.ts";
import { serveFaults } from "./serve-faults.ts";

/** Where the faults of a server are asked for over HTTP. */
export interface FaultsEndpoint {
  /** E.g. `http://127.0.0.1:41235`. */
  readonly url: string;
  readonly token: string;
}

export interface OpenFaults {
  readonly filter: FaultFilter;
  readonly faults: Faults;
  /** Undefined unless it was asked for. */
  readonly endpoint: FaultsEndpoint | undefined;
  /** Removes all faults and closes the port. */
  close(): Promise<void>;
}

/** Opens them, with a free port on loopback for `http`. */
export async function openFaults(
  { runtime, store }: { readonly runtime: Runtime; readonly store: Store },
  reach: "in-process" | "http",
): Promise<OpenFaults> {
  const table = new FaultTable();
  const faults: Faults = {
    add: (fault) => table.add(parseFault(fault), store.revision()),
    remove: (id) => table.remove(id),
    clear: () => table.clear(),
    list: () => table.list(),
    clients: () => table.clients(),
    closeWatches: (match = {}) => table.closeWatches(parseMatch(match)),
  };
  const token = Buffer.from(runtime.entropy.bytes(24)).toString("base64url");
  const listener: Listener | undefined =
    reach === "http" ? await listen(serveFaults(faults, token)) : undefined;
  return {
    filter: createFaultFilter(table, runtime.clock),
    faults,
    endpoint: listener && { url: listener.url, token },
    async close() {
      table.clear();
      await listener?.close();
    },
  };
}
