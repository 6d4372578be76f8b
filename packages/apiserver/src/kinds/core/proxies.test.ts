import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isApiStatusError, type JsonObject } from "homeostat/api";
import { createTokenIssuer } from "../../certificates/token-issuer.ts";
import type { ConnectTools, ProxyHandler } from "../../apimachinery/rest/connecter.ts";
import { proxyToNode } from "./proxy/node-proxy.ts";
import { proxyToPod } from "./pod/subresources/pod-streams.ts";
import { proxyToService } from "./service/service-proxy.ts";

/** Objects by plural. */
type World = Readonly<Record<string, readonly JsonObject[]>>;

const toolsFor = (world: World): ConnectTools => ({
  query: () => undefined,
  integer: () => undefined,
  overwrite: async () => {},
  overwriteOther: async () => {},
  remove: async () => {},
  list: ({ resource }) => world[resource] ?? [],
  find: ({ resource }, name) =>
    (world[resource] ?? []).find((each) => (each["metadata"] as JsonObject)["name"] === name),
  tokens: createTokenIssuer(),
  newUid: () => "uid",
});

async function refusal(handler: ProxyHandler, target: string, world: World): Promise<string> {
  try {
    await handler(target, toolsFor(world));
  } catch (error) {
    if (isApiStatusError(error)) return `${error.status.code} ${error.status.message}`;
    throw error;
  }
  return "answered";
}

const named = (name: string, more: JsonObject = {}): JsonObject => ({
  metadata: { name, namespace: "n" },
  ...more,
});

describe("proxies", () => {
  it("know three forms of a target", async () => {
    assert.equal(await refusal(proxyToPod, "ftp:p:80", {}), '400 invalid pod request "ftp:p:80"');
    assert.equal(await refusal(proxyToPod, "https:p:80", {}), '404 pods "p" not found');
  });
  it("do not lead back to the server's own machine", async () => {
    const pods = ["", "127.0.0.1", "169.254.1.1", "239.1.1.1"].map((ip, i) =>
      named(`p${i}`, { status: { podIPs: [{ ip }] } }),
    );
    for (const i of pods.keys())
      assert.equal(await refusal(proxyToPod, `p${i}`, { pods }), "400 address not allowed");
  });
  it("need an address of the node", async () => {
    assert.equal(
      await refusal(proxyToNode, "a", {
        nodes: [named("a", { status: { addresses: [{ type: "Odd", address: "x" }] } })],
      }),
      "500 no preferred addresses found; known addresses: [{Odd x}]",
    );
  });
  it("look for pods behind a service", async () => {
    const services = [named("s", { spec: { ports: [{ name: "web", port: 80 }] } })];
    const pods = [named("p", { status: { podIPs: [{ ip: "10.0.0.1" }] } })];
    const endpointsTo = (ip: string): readonly JsonObject[] => [
      named("s", {
        subsets: [
          {
            addresses: [{ ip, targetRef: { namespace: "n", name: "p" } }],
            ports: [{ name: "web" }],
          },
        ],
      }),
    ];
    assert.equal(
      await refusal(proxyToService, "s:99", { services }),
      '503 no service port 99 found for service "s"',
    );
    assert.equal(
      await refusal(proxyToService, "s:80", { services, pods, endpoints: endpointsTo("10.0.0.2") }),
      '503 no endpoints available for service "s:80"',
    );
    assert.match(
      await refusal(proxyToService, "s:80", { services, pods, endpoints: endpointsTo("10.0.0.1") }),
      /^501 /,
    );
  });
});
