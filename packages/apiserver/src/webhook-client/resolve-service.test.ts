import assert from "node:assert/strict";
import { test } from "node:test";
import { createServiceResolver, type ServiceLookup } from "./resolve-service.ts";

type Slice = ReturnType<ServiceLookup["slices"]>[number];
type Service = NonNullable<ReturnType<ServiceLookup["service"]>>;

const service = (spec: object = {}): Service =>
  ({ spec: { type: "ClusterIP", ports: [{ name: "tls", port: 443 }], ...spec } }) as Service;
const slice = (ready: boolean | undefined, port = "tls"): Slice =>
  ({
    ports: [{ name: port, port: 8443 }],
    endpoints: [
      { addresses: ["10.1.0.7"], ...(ready === undefined ? {} : { conditions: { ready } }) },
    ],
  }) as Slice;

function resolve(found: Service | undefined, slices: readonly Slice[], port = 443): unknown {
  const resolver = createServiceResolver({ service: () => found, slices: () => slices });
  try {
    return resolver("shop", "hook", port);
  } catch (error) {
    return (error as Error).message;
  }
}

test("a Service is at its first ready endpoint, at the port of the same name", () => {
  const at = { host: "10.1.0.7", port: 8443 };
  assert.deepEqual(resolve(service(), [slice(true)]), at);
  assert.deepEqual(resolve(service(), [slice(false), slice(undefined)]), at);
});

test("an external name is the host, at the port that is asked for", () => {
  const external = service({ type: "ExternalName", externalName: "hook.example.com" });
  assert.deepEqual(resolve(external, [], 80), { host: "hook.example.com", port: 80 });
});

test("what is missing has upstream's message", () => {
  const none = 'no endpoints available for service "hook"';
  assert.equal(resolve(undefined, []), 'service "hook" not found');
  assert.equal(resolve(service({ type: "Other" }), []), 'unsupported service type "Other"');
  assert.equal(resolve(service(), [], 80), 'no service port 80 found for service "hook"');
  assert.equal(resolve(service(), []), none);
  assert.equal(resolve(service(), [slice(false)]), none);
  assert.equal(resolve(service(), [slice(true, "other")]), none);
});

test("a location that was given wins, with its port before without", () => {
  const one = { host: "127.0.0.1", port: 1 };
  const two = { host: "127.0.0.1", port: 2 };
  const resolver = createServiceResolver({
    service: () => undefined,
    slices: () => [],
    locations: new Map([
      ["shop/hook", one],
      ["shop/hook:8443", two],
    ]),
  });
  assert.equal(resolver("shop", "hook", 443), one);
  assert.equal(resolver("shop", "hook", 8443), two);
});
