// A core over the made-up kinds, in virtual time, with short ways to ask it things.
import { encodeJsonBytes, type Json, type JsonObject } from "homeostat/api";
import { createVirtualRuntime, type VirtualRuntime } from "homeostat/runtime";
import { type ApiResponse, isStream, wholeBody } from "../../apimachinery/handler.ts";
import type { ServedResource } from "../../apimachinery/rest/served-resource.ts";
import { catalogOf } from "../../registry/testdata/widgets.ts";
import { createMemoryStore } from "../../storage/memory-store.ts";
import type { Store } from "../../storage/store.ts";
import {
  type GenericApiServer,
  type GenericApiServerOptions,
  createGenericApiServer,
} from "../generic-api-server.ts";

/** An answer with its body read. */
export interface Answer {
  readonly status: number;
  readonly headers: ApiResponse["headers"];
  readonly body: JsonObject;
  readonly text: string;
}

/** A watch that has been opened; events are parsed as they come. */
export interface OpenedWatch {
  readonly events: { readonly type: string; readonly object: JsonObject }[];
  readonly ended: () => boolean;
  /** While false is returned from here, the stream must pause. */
  accept: boolean;
  resume(): void;
  close(): void;
}

export interface TestServer {
  readonly core: GenericApiServer;
  readonly store: Store;
  readonly runtime: VirtualRuntime;
  ask(
    method: string,
    path: string,
    body?: Json | string,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Answer>;
  watch(path: string, headers?: Readonly<Record<string, string>>): Promise<OpenedWatch>;
}

export const widgetsPath = "/apis/example.com/v1/namespaces/home/widgets";
export const admin = { name: "admin", groups: ["system:masters", "system:authenticated"] };

/** A widget's body. */
export const widget = (
  name: string,
  spec: JsonObject = {},
  metadata: JsonObject = {},
): JsonObject => ({
  apiVersion: "example.com/v1",
  kind: "Widget",
  metadata: { name, ...metadata },
  spec,
});

/** Creates a server with the namespace `home`. */
export async function createTestServer(
  options: Partial<GenericApiServerOptions> & { readonly serve?: readonly ServedResource[] } = {},
): Promise<TestServer> {
  const runtime = createVirtualRuntime();
  const store = createMemoryStore();
  const core = createGenericApiServer({
    store,
    runtime,
    catalog: catalogOf(...(options.serve ?? [])),
    tokens: new Map([["secret", admin]]),
    ...options,
  });
  const send = (
    method: string,
    path: string,
    body: Uint8Array,
    headers: Readonly<Record<string, string>>,
  ) => core.handler({ method, path, headers, body, user: admin });
  const server: TestServer = {
    core,
    store,
    runtime,
    async ask(method, path, body, headers = {}) {
      return readAnswer(
        await send(method, path, encodeBody(body), { "user-agent": "test/1", ...headers }),
      );
    },
    async watch(path, headers = {}) {
      return openWatch(await send("GET", path, new Uint8Array(), headers));
    },
  };
  await server.ask("POST", "/api/v1/namespaces", { metadata: { name: "home" } });
  return server;
}

function encodeBody(body: Json | undefined): Uint8Array {
  if (body === undefined) return new Uint8Array();
  return typeof body === "string" ? new TextEncoder().encode(body) : encodeJsonBytes(body);
}

function readAnswer({ status, headers, body }: ApiResponse): Answer {
  if (isStream(body))
    throw new Error(`expected a whole answer, got a stream with status ${status}`);
  const text = new TextDecoder().decode(wholeBody(body));
  return {
    status,
    headers,
    text,
    body: text.startsWith("{") ? (JSON.parse(text) as JsonObject) : {},
  };
}

function openWatch({ status, body }: ApiResponse): OpenedWatch {
  if (!isStream(body))
    throw new Error(
      `expected a stream, got status ${status}: ${new TextDecoder().decode(wholeBody(body))}`,
    );
  let ended = false;
  const watch: OpenedWatch = {
    events: [],
    accept: true,
    ended: () => ended,
    resume: () => stream.resume(),
    close: () => stream.close(),
  };
  const stream = body.open({
    data(chunk) {
      for (const line of new TextDecoder().decode(chunk).split("\n").filter(Boolean))
        watch.events.push(JSON.parse(line) as OpenedWatch["events"][number]);
      return watch.accept;
    },
    end() {
      ended = true;
    },
  });
  return watch;
}
