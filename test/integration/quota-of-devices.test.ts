// The controller counts what ResourceClaims use under the names of extended resources.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startApiServer } from "@homeostat/apiserver";
import { createClient } from "homeostat/client";
import { ResourceQuota } from "homeostat/k8s/core/v1";
import { DeviceClass, ResourceClaim } from "homeostat/k8s/resource/v1";

test("claims that stand are counted by the names that their class backs", async (t) => {
  const server = await startApiServer({ listen: false, controllers: ["resourcequota"] });
  t.after(() => server.close());
  const client = createClient({ transport: server.transport() });
  t.after(() => client.close());
  await client.create(DeviceClass, {
    metadata: { name: "gold" },
    spec: { extendedResourceName: "example.com/gpu" },
  });
  await client.create(ResourceClaim, {
    metadata: { name: "c", namespace: "default" },
    spec: {
      devices: {
        requests: [
          {
            name: "r",
            exactly: { deviceClassName: "gold", allocationMode: "ExactCount", count: 2 },
          },
        ],
      },
    },
  });
  const hard = {
    "count/resourceclaims.resource.k8s.io": "9",
    "requests.deviceclass.resource.kubernetes.io/gold": "9",
    "requests.example.com/gpu": "9",
    "requests.example.com/other": "9",
  };
  const key = { name: "q", namespace: "default" };
  await client.create(ResourceQuota, { metadata: key, spec: { hard } });
  const usage = async () => (await client.get(ResourceQuota, key)).status?.used;
  while (!(await usage())) await new Promise((done) => setTimeout(done, 10));
  assert.deepEqual(await usage(), {
    "count/resourceclaims.resource.k8s.io": "1",
    "requests.deviceclass.resource.kubernetes.io/gold": "2",
    "requests.example.com/gpu": "2",
    "requests.example.com/other": "0",
  });
});
