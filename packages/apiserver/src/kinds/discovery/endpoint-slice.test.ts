import assert from "node:assert/strict";
import { test } from "node:test";
import { openKind } from "../open-kind.suite.ts";

const slices = openKind("discovery.k8s.io", "endpointslices");
const metadata = { name: "s", namespace: "n" };

test("ports get a name and a protocol; addresses must be of the type", () => {
  const { object, errors } = slices.create({
    metadata,
    addressType: "IPv4",
    endpoints: [{ addresses: ["fd00::1"] }, { addresses: [] }],
    ports: [{ port: 80 }, { port: 81 }],
  });
  assert.deepEqual((object["ports"] as unknown[])[0], { name: "", port: 80, protocol: "TCP" });
  assert.deepEqual(errors, [
    'ports[1].name: Duplicate value: ""',
    'endpoints[0].addresses: Invalid value: "fd00::1": must be an IPv4 address',
    "endpoints[1].addresses: Required value: must contain at least 1 address",
  ]);
});

test("the generation follows everything but metadata, and labels", () => {
  const body = { metadata, addressType: "IPv4", endpoints: [{ addresses: ["10.0.0.1"] }] };
  const { object } = slices.create(body);
  const generation = (next: object): unknown =>
    (
      slices.update(structuredClone(object), {
        ...next,
        metadata: { ...metadata, generation: 1, ...(next as typeof body).metadata },
      }).object["metadata"] as Record<string, unknown>
    )["generation"];
  assert.deepEqual(
    [
      generation(body),
      generation({ ...body, endpoints: [] }),
      generation({ ...body, metadata: { ...metadata, labels: { a: "b" } } }),
    ],
    [1, 2, 2],
  );
});

test("the type of addresses stays", () => {
  const { object } = slices.create({ metadata, addressType: "IPv4", endpoints: [] });
  assert.deepEqual(slices.update(object, { metadata, addressType: "IPv6", endpoints: [] }).errors, [
    'addressType: Invalid value: "IPv6": field is immutable',
  ]);
});
