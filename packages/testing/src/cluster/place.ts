// Where a test cluster is: in this process, or a real cluster.
import type { ApiServer } from "@homeostat/apiserver";
import type { Transport } from "homeostat/api";
import type { Client } from "homeostat/client";
import type { Runtime } from "homeostat/runtime";
import type { JumpingRuntime } from "../clock/jumping-runtime.ts";
import type { Traffic } from "../traffic/traffic.ts";

/** A server, and how to reach it. */
export interface Place {
  readonly runtime: Runtime;
  readonly traffic: Traffic;
  /** Undefined where the clock cannot jump. */
  readonly jumping: JumpingRuntime | undefined;
  /** Undefined on a real cluster. */
  readonly server: ApiServer | undefined;
  /** The only namespace of the controllers; undefined for all. */
  readonly namespace: string | undefined;
  /** A client with a connection of its own, through `wrap`. */
  client(options: PlaceClientOptions): Client;
  /** So many looks in a row that find nothing to do mean that there is nothing. */
  readonly looks: number;
  /** Waits between two looks at what changes. */
  pause(): Promise<void>;
  close(): Promise<void>;
}

/** Options of a client of a place. */
export interface PlaceClientOptions {
  readonly runtime: Runtime;
  /** Field manager and user agent. */
  readonly operator: string;
  wrap?(transport: Transport): Transport;
}
