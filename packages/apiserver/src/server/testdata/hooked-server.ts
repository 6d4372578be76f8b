// A control plane on a virtual clock, closed after each test.
import { afterEach } from "node:test";
import type { JsonObject } from "homeostat/api";
import { createVirtualRuntime } from "homeostat/runtime";
import { isStream } from "../../apimachinery/handler.ts";
import {
  type ControlPlane,
  type ControlPlaneOptions,
  createControlPlane,
} from "../control-plane.ts";
import { createMemoryStore } from "../../storage/memory-store.ts";

const user = { name: "ann", groups: ["system:masters"] };
let core: ControlPlane | undefined;
afterEach(async () => core?.close());

/** Starts at 2026-01-01T00:00:00Z. */
export async function start(options: Partial<ControlPlaneOptions> = {}) {
  const runtime = createVirtualRuntime({ startMs: Date.parse("2026-01-01T00:00:00Z") });
  const store = createMemoryStore();
  const server = (core = await createControlPlane({
    store,
    runtime,
    tokens: new Map(),
    ...options,
  }));
  const ask = async (
    method: string,
    path: string,
    body?: object,
  ): Promise<JsonObject & { readonly status?: unknown }> => {
    const headers = body ? { "content-type": "application/json" } : {};
    const answer = await server.handler({
      method,
      path,
      headers,
      body: Buffer.from(body ? JSON.stringify(body) : ""),
      user,
    });
    if (isStream(answer.body)) throw new Error(`${method} ${path}: expected one answer`);
    return JSON.parse(Buffer.from(answer.body).toString()) as JsonObject;
  };
  return { ask, runtime, store, server };
}

/** Lets everything happen that waits for nothing but its turn. */
export async function settle(): Promise<void> {
  for (let i = 0; i < 50; i++) await new Promise(setImmediate);
}
