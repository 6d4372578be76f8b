// A client over a scripted transport, for tests: what it sends is recorded, responses are scripted.
import type { Client } from "./client.ts";
import { createVirtualRuntime, type VirtualRuntime } from "../runtime/virtual-runtime.ts";
import { HomeostatError } from "../util/homeostat-error.ts";
import { type ClientOptions, createClient } from "./create-client.ts";
import type { ClientObserver } from "./session-options.ts";
import { dynamicKind } from "./discovery/kind-resolver.ts";
import {
  createScriptedTransport,
  type ScriptedExchange,
  type ScriptedTransport,
} from "./scripted-transport.suite.ts";

export const Order = dynamicKind({
  apiVersion: "kitchen.example.com/v1",
  kind: "Order",
  resource: "orders",
  scope: "Namespaced",
});
export const Node = dynamicKind({
  apiVersion: "v1",
  kind: "Node",
  resource: "nodes",
  scope: "Cluster",
});

export interface Play {
  readonly client: Client;
  readonly transport: ScriptedTransport;
  readonly runtime: VirtualRuntime;
}

export function play(
  respond?: (exchange: ScriptedExchange) => void,
  options: Partial<ClientOptions> = {},
): Play {
  const runtime = createVirtualRuntime();
  const transport = createScriptedTransport(respond);
  return {
    client: createClient({
      transport,
      runtime,
      namespace: "home",
      userAgent: "kitchen/1.0",
      ...options,
    }),
    transport,
    runtime,
  };
}

export const order = (rest: object = {}): any => ({
  apiVersion: "kitchen.example.com/v1",
  kind: "Order",
  metadata: { name: "o1", namespace: "home", uid: "u1", resourceVersion: "5", ...rest },
  spec: { table: 4 },
});
export const lost = (): Error =>
  new HomeostatError("ERR_CLIENT_CONNECTION_LOST", "reset", { hint: "" });
export const answerWith = (body: unknown) => (exchange: ScriptedExchange) =>
  exchange.answer(200, body);

/** What one call sends. */
export async function sent(
  call: (client: Client) => Promise<unknown>,
  options?: Partial<ClientOptions>,
): Promise<{ readonly line: string; readonly type: string | undefined; readonly body: unknown }> {
  const isList = ({ request, url }: ScriptedExchange): boolean =>
    request.method === "GET" && /\/(orders|nodes)$/.test(url.pathname);
  const { client, transport } = play(
    (exchange) => exchange.answer(200, isList(exchange) ? { items: [] } : order()),
    options,
  );
  await call(client);
  const { request, body } = transport.last;
  return { line: `${request.method} ${request.path}`, type: request.headers["content-type"], body };
}

/** Each of its methods throws or rejects. */
export function brokenObserver(): ClientObserver {
  const answered = (): never => {
    throw new Error("broken observer");
  };
  const warned = (() => Promise.reject(new Error("broken observer"))) as () => void;
  return { answered, retried: answered, warned };
}

/** Collects our process warnings until it is disposed of. */
export function collectWarnings() {
  const messages: string[] = [];
  const listener = ({ name, message }: Error): void => {
    if (name === "HomeostatWarning") messages.push(message);
  };
  process.on("warning", listener);
  return {
    async seen(): Promise<readonly string[]> {
      await new Promise((resolve) => setImmediate(resolve));
      return messages;
    },
    [Symbol.dispose]: () => void process.off("warning", listener),
  };
}
