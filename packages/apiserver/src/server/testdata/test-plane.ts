// A control plane over an empty store, in virtual time, with short ways to ask it things.
import { encodeJsonBytes, type Json, type JsonObject } from "homeostat/api";
import { createVirtualRuntime, type VirtualRuntime } from "homeostat/runtime";
import { type ApiResponse, isStream, wholeBody } from "../../apimachinery/handler.ts";
import type { UserInfo } from "../../apimachinery/user-info.ts";
import { createMemoryStore } from "../../storage/memory-store.ts";
import { type ControlPlaneOptions, createControlPlane } from "../control-plane.ts";
import { admin } from "./test-server.ts";

/** What a request has; `type` is that of the body, JSON by default. */
type PlaneRequest = readonly [method: string, path: string, body?: Json, type?: string];

/** A whole answer. */
export interface PlaneAnswer {
  readonly status: number;
  readonly body: JsonObject;
  readonly warnings: readonly string[];
}

export interface TestPlane {
  readonly runtime: VirtualRuntime;
  send(...request: PlaneRequest): Promise<ApiResponse>;
  /** Sends, and reads the answer. */
  ask(...request: PlaneRequest): Promise<PlaneAnswer>;
  close(): Promise<void>;
}

/** Options of the control plane, and who asks. */
export interface TestPlaneOptions extends Partial<ControlPlaneOptions> {
  readonly runtime?: VirtualRuntime;
  readonly user?: UserInfo;
  readonly userAgent?: string;
}

export async function createTestPlane({
  runtime = createVirtualRuntime(),
  user = admin,
  userAgent,
  ...options
}: TestPlaneOptions = {}): Promise<TestPlane> {
  const store = createMemoryStore();
  const plane = await createControlPlane({ store, runtime, tokens: new Map(), ...options });
  const agent = userAgent === undefined ? {} : { "user-agent": userAgent };
  const send: TestPlane["send"] = async (method, path, body, type = "application/json") =>
    await plane.handler({
      method,
      path,
      headers: { "content-type": type, ...agent },
      body: body === undefined ? new Uint8Array() : encodeJsonBytes(body),
      user,
    });
  return {
    runtime,
    send,
    ask: async (...request) => readAnswer(await send(...request)),
    async close() {
      await plane.close();
      await store.close();
    },
  };
}

function readAnswer({ status, headers, body }: ApiResponse): PlaneAnswer {
  if (isStream(body)) throw new Error(`expected a whole answer, got a stream of status ${status}`);
  const warnings = headers["warning"] ?? [];
  return {
    status,
    body: JSON.parse(new TextDecoder().decode(wholeBody(body))) as JsonObject,
    warnings: typeof warnings === "string" ? [warnings] : warnings,
  };
}
