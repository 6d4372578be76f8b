// Orders that upstream's controllers give, and published vectors of the hash behind them.
import type { EndpointPort } from "homeostat/k8s/core/v1";
import assert from "node:assert/strict";
import { test } from "node:test";
import { createGoOrder, fnv128a } from "./go-order.ts";
import { repackSubsets } from "./repack-subsets.ts";
import { readKindData } from "../../apimachinery/kind-data/read-kind-data.ts";

const goOrder = createGoOrder(readKindData("1.36"));

test("the hash is FNV-1a of 128 bits", () => {
  assert.deepEqual(["", "a", "foobar"].map(fnv128a), [
    "6c62272e07bb014262b821756295c58d",
    "d228cb696f1a8caf78912b704e4a8964",
    "343e1662793c64bf6f0d3597ba446f18",
  ]);
});

test("ports come in upstream's order, which differs between the two kinds", () => {
  const ports = ["a", "b", "c", "d"].map((name, index) => ({
    name,
    port: 80 + index,
    protocol: "TCP" as const,
  }));
  const order = (ordered: readonly { readonly name?: string }[]): string =>
    ordered.map(({ name }) => name).join("");
  assert.deepEqual(
    [order(goOrder.ports(ports)), order(goOrder.slicePorts(ports))],
    ["cbad", "bdca"],
  );
});

test("subsets have one form, however they were written", () => {
  const [a, b, c] = ["10.0.0.1", "10.0.0.2", "10.0.0.3"].map((ip) => ({ ip }));
  const http: EndpointPort = { name: "http", port: 80, protocol: "TCP" };
  const dns: EndpointPort = { name: "dns", port: 53, protocol: "UDP" };
  const together = repackSubsets(
    [
      { addresses: [b!, a!], ports: [http] },
      { addresses: [a!], notReadyAddresses: [b!], ports: [dns] },
      { addresses: [b!], ports: [dns] },
      { notReadyAddresses: [b!], ports: [http] },
      { addresses: [c!] },
    ],
    goOrder,
  );
  const expected = [
    { addresses: [a], notReadyAddresses: [b], ports: goOrder.ports([http, dns]) },
    { addresses: [c] },
  ];
  assert.deepEqual(together, goOrder.subsets(expected as typeof together));
  assert.deepEqual(repackSubsets(together, goOrder), together);
});
