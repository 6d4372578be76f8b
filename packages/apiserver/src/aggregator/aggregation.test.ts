// APIServices with a service: availability, proxy and discovery, with an extension server in this
// process and one behind HTTPS.
import assert from "node:assert/strict";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { TLSSocket } from "node:tls";
import { test, type TestContext } from "node:test";
import { type Decoded, encodeJsonBytes, isObject, type Json, type JsonObject } from "homeostat/api";
import type { APIService } from "homeostat/k8s/apiregistration/v1";
import { createSystemRuntime, createVirtualRuntime } from "homeostat/runtime";
import {
  type ApiRequest,
  type ByteStream,
  type Handler,
  isStream,
  wholeBody,
} from "../apimachinery/handler.ts";
import {
  createAuthority,
  issueClientCertificate,
  issueServingCertificate,
} from "homeostat/certificates";
import { createControlPlane, type ControlPlaneOptions } from "../server/control-plane.ts";
import { createMemoryStore } from "../storage/memory-store.ts";
import { ExtensionServers } from "./extension-servers.ts";
import { toRemote } from "./remote-api-service.ts";

const runtime = createSystemRuntime();
const apiService = (spec: JsonObject = {}): JsonObject => ({
  apiVersion: "apiregistration.k8s.io/v1",
  kind: "APIService",
  metadata: { name: "v1.wardle.io" },
  spec: {
    group: "wardle.io",
    version: "v1",
    groupPriorityMinimum: 2000,
    versionPriority: 15,
    service: { namespace: "default", name: "wardle" },
    ...spec,
  },
});
const services = "/apis/apiregistration.k8s.io/v1/apiservices";
const document = "/openapi/v3/apis/wardle.io/v1";
const resources: JsonObject = {
  kind: "APIResourceList",
  apiVersion: "v1",
  groupVersion: "wardle.io/v1",
  resources: [
    { name: "fish", singularName: "fish", namespaced: true, kind: "Fish", verbs: ["get"] },
    { name: "fish/status", singularName: "", namespaced: true, kind: "Fish", verbs: ["get"] },
  ],
};

async function setUp(t: TestContext, options: Partial<ControlPlaneOptions> = {}) {
  const plane = await createControlPlane({
    store: createMemoryStore(),
    runtime,
    tokens: new Map(),
    ...options,
  });
  t.after(() => plane.close());
  const user = {
    name: "admin",
    uid: "7",
    groups: ["system:masters", "system:authenticated"],
    extra: { "a/b": ["x", "y"] },
  };
  const send = async (method: string, path: string, body?: Json, headers = {}) =>
    await plane.handler({
      method,
      path,
      headers: { "content-type": "application/json", ...headers },
      body: body === undefined ? new Uint8Array() : encodeJsonBytes(body),
      user,
    });
  const text = async (...request: Parameters<typeof send>): Promise<string> => {
    const { body } = await send(...request);
    if (!isStream(body)) return Buffer.from(wholeBody(body)).toString("utf8");
    let out = "";
    return await new Promise((done) => {
      body.open({
        data: (chunk) => ((out += Buffer.from(chunk).toString("utf8")), true),
        end: () => done(out),
      });
    });
  };
  const ask = async (...request: Parameters<typeof send>): Promise<JsonObject> =>
    JSON.parse(await text(...request)) as JsonObject;
  const available = async (status: string): Promise<JsonObject> => {
    for (let i = 0; i < 300; i++) {
      const { status: found } = await ask("GET", `${services}/v1.wardle.io`);
      const conditions = isObject(found) ? (found.conditions as JsonObject[] | undefined) : [];
      const condition = conditions?.find(({ type }) => type === "Available");
      if (condition?.status === status) return condition;
      await new Promise((done) => setTimeout(done, 10));
    }
    return assert.fail(`never became ${status}`);
  };
  return { send, ask, text, available };
}

const json = (value: Json) => ({
  status: 200,
  headers: { "content-type": "application/json" },
  body: encodeJsonBytes(value),
});

function extension(): { readonly handler: Handler; readonly seen: ApiRequest[] } {
  const seen: ApiRequest[] = [];
  const handler: Handler = async (request) => {
    seen.push(request);
    if (request.path === "/apis/wardle.io/v1") return json(resources);
    if (request.path === "/openapi/v3")
      return json({ paths: { "apis/wardle.io/v1": { serverRelativeURL: `${document}?hash=1` } } });
    if (request.path.startsWith(document)) return json({ openapi: "3.0.0" });
    if (request.path === "/openapi/v2")
      return json({
        paths: {
          "/apis/wardle.io/v1/fish": { get: { $ref: "#/definitions/Fish" } },
          "/apis/other.io/v1/": { get: { $ref: "#/definitions/Other" } },
        },
        definitions: { Fish: { type: "object" }, Other: {} },
      });
    if (request.path.startsWith("/apis/wardle.io/v1/")) return json({ kind: "Fish" });
    return { status: 404, headers: {}, body: new Uint8Array() };
  };
  return { handler, seen };
}

test("an extension server in this process is asked, shown in discovery and proxied to", async (t) => {
  const { handler, seen } = extension();
  const { ask, available } = await setUp(t, {
    serviceLocations: new Map([["default/wardle", handler]]),
  });
  await ask("POST", services, apiService());
  const { reason, message } = await available("True");
  assert.deepEqual([reason, message], ["Passed", "all checks passed"]);
  const path = "/apis/wardle.io/v1/namespaces/a/fish/f?x=1";
  const claims = { authorization: "Bearer t", "x-remote-extra-evil": "1", "x-remote-uid": "0" };
  assert.equal((await ask("GET", path, undefined, claims)).kind, "Fish");
  const last = seen.findLast((request) => request.path === path)!;
  assert.equal(last.headers["x-remote-user"], "admin");
  assert.equal(last.headers["x-remote-group"], "system:masters, system:authenticated");
  assert.equal(last.headers["x-remote-extra-a%2Fb"], "x, y");
  assert.equal(last.headers["authorization"], undefined);
  assert.equal(last.headers["x-remote-extra-evil"], undefined);
  assert.equal(last.headers["x-remote-uid"], "7");
  assert.deepEqual(await ask("GET", "/apis/wardle.io/v1"), resources);
  const group = await ask("GET", "/apis/wardle.io");
  assert.deepEqual(group.preferredVersion, { groupVersion: "wardle.io/v1", version: "v1" });
  const all = await ask("GET", "/apis", undefined, {
    accept: "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
  });
  const found = (all.items as JsonObject[]).find(
    ({ metadata }) => (metadata as JsonObject).name === "wardle.io",
  );
  const [version] = found!.versions as JsonObject[];
  assert.equal(version!.freshness, "Current");
  assert.deepEqual(
    (version!.resources as JsonObject[]).map(({ resource, scope }) => [resource, scope]),
    [["fish", "Namespaced"]],
  );
});

test("the OpenAPI of an extension server is in the index", async (t) => {
  const { handler } = extension();
  const { ask, available, send } = await setUp(t, {
    serviceLocations: new Map([["default/wardle", handler]]),
  });
  await ask("POST", services, apiService());
  await available("True");
  const { paths } = await ask("GET", "/openapi/v3");
  const entry = (paths as Record<string, JsonObject>)["apis/wardle.io/v1"]!;
  assert.equal((await ask("GET", String(entry.serverRelativeURL))).openapi, "3.0.0");
  const two = await ask("GET", "/openapi/v2");
  const has = (member: string, name: string) => Object.hasOwn(two[member] as JsonObject, name);
  assert.ok(has("paths", "/apis/wardle.io/v1/fish") && has("definitions", "Fish"));
  assert.ok(!has("paths", "/apis/other.io/v1/") && !has("definitions", "Other"));
  await ask("DELETE", `${services}/v1.wardle.io`);
  assert.equal((await send("GET", document)).status, 404);
  const { definitions } = await ask("GET", "/openapi/v2");
  assert.ok(!Object.hasOwn(definitions as JsonObject, "Fish"));
});

test("no answer to a check is left open", async (t) => {
  const { handler } = extension();
  let open = 0;
  const streaming: Handler = async (request) => {
    const { body, ...head } = await handler(request);
    open++;
    const stream: ByteStream = {
      open(sink) {
        open--;
        queueMicrotask(() => {
          if (!isStream(body)) sink.data(wholeBody(body));
          sink.end();
        });
        return { resume: () => {}, close: () => {} };
      },
    };
    return { ...head, body: stream };
  };
  const { ask, available } = await setUp(t, {
    serviceLocations: new Map([["default/wardle", streaming]]),
  });
  await ask("POST", services, apiService());
  await available("True");
  await new Promise((done) => setImmediate(done));
  assert.equal(open, 0);
});

test("a check of a server in this process that does not answer ends", async () => {
  const virtual = createVirtualRuntime();
  const servers = new ExtensionServers({
    clock: virtual.clock,
    certificate: undefined,
    resolve: () => () => new Promise(() => {}),
  });
  const remote = toRemote("v1.wardle.io", apiService() as Decoded<APIService>)!;
  const checked = servers.check(remote, "https://wardle");
  await virtual.advance(5000);
  const why = 'Get "https://wardle": context deadline exceeded';
  assert.equal(await checked, `failing or missing response from https://wardle: ${why}`);
  servers.close();
});

test("without an available server requests are answered 503, and the group is listed", async (t) => {
  const { ask, send, text, available } = await setUp(t);
  await ask("POST", services, apiService());
  const { reason } = await available("False");
  assert.equal(reason, "ServiceNotFound");
  assert.equal((await send("GET", "/apis/wardle.io/v1/fish")).status, 503);
  assert.equal(await text("GET", "/apis/wardle.io/v1"), "service unavailable\n");
  const { groups } = await ask("GET", "/apis");
  assert.ok((groups as JsonObject[]).some(({ name }) => name === "wardle.io"));
  await ask("DELETE", `${services}/v1.wardle.io`);
  assert.equal((await send("GET", "/apis/wardle.io/v1/fish")).status, 404);
});

async function startExtension(t: TestContext) {
  const authority = createAuthority({ runtime });
  const pair = issueServingCertificate(authority, { runtime, names: ["wardle.default.svc"] });
  const front = createAuthority({ runtime, commonName: "front" });
  const users = new Map<string, unknown>();
  const server = createServer(
    { ...pair, requestCert: true, rejectUnauthorized: true, ca: front.cert },
    (request, response) => {
      const socket = request.socket as TLSSocket;
      users.set(request.url ?? "", [
        socket.getPeerCertificate().subject.CN,
        request.headers["x-remote-user"],
        request.headersDistinct["x-remote-group"],
      ]);
      if (request.url === "/apis/wardle.io/v1") response.end(JSON.stringify(resources));
      else if (request.url?.includes("watch=1")) {
        response.write('{"type":"ADDED"}\n');
        response.end('{"type":"MODIFIED"}\n');
      } else response.writeHead(404).end("nothing here");
    },
  );
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const client = issueClientCertificate(front, { runtime, user: "front-proxy-client" });
  return {
    port,
    users,
    caBundle: Buffer.from(authority.cert).toString("base64"),
    frontProxy: async () => ({ ...client, ca: front.cert }),
  };
}

test("an extension server behind HTTPS sees the front proxy's certificate and the user", async (t) => {
  const { port, users, caBundle, frontProxy } = await startExtension(t);
  const { ask, send, text, available } = await setUp(t, {
    frontProxy,
    serviceLocations: new Map([["default/wardle", { host: "127.0.0.1", port }]]),
  });
  await ask("POST", services, apiService({ caBundle }));
  await available("True");
  assert.equal(
    await text("GET", "/apis/wardle.io/v1/fish?watch=1"),
    '{"type":"ADDED"}\n{"type":"MODIFIED"}\n',
  );
  assert.deepEqual(users.get("/apis/wardle.io/v1/fish?watch=1"), [
    "front-proxy-client",
    "admin",
    ["system:masters", "system:authenticated"],
  ]);
  assert.equal((await send("GET", "/apis/wardle.io/v1/none")).status, 404);
  const trust = "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication";
  const { data } = await ask("GET", trust);
  assert.equal((data as JsonObject)["requestheader-allowed-names"], '["front-proxy-client"]');
});

test("a server that proves another name is not available", async (t) => {
  const { port, frontProxy } = await startExtension(t);
  const { ask, available } = await setUp(t, {
    frontProxy,
    serviceLocations: new Map([["default/wardle", { host: "127.0.0.1", port }]]),
  });
  await ask("POST", services, apiService());
  const { reason, message } = await available("False");
  assert.equal(reason, "FailedDiscoveryCheck");
  assert.equal(
    message,
    'failing or missing response from https://wardle.default.svc:443/apis/wardle.io/v1: Get "https://wardle.default.svc:443/apis/wardle.io/v1": tls: failed to verify certificate: x509: certificate signed by unknown authority',
  );
});
