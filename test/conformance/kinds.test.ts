// Every way to get a Kind gives one that keeps the same promises.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startApiServer } from "@homeostat/apiserver";
import { defineResource, type Kind } from "homeostat";
import { createClient, dynamicKind } from "homeostat/client";
import * as z from "zod";
import { kindSuite } from "./kind.suite.ts";

const Lamp = defineResource({
  group: "lights.example.com",
  version: "v1alpha1",
  kind: "Lamp",
  scope: "Cluster",
  spec: z.object({}),
});

kindSuite("defineResource", () => Lamp);
kindSuite("dynamicKind", () =>
  dynamicKind({ apiVersion: "v1", kind: "ConfigMap", resource: "configmaps", scope: "Namespaced" }),
);
kindSuite("discovery", () => discover("coordination.k8s.io/v1", "Lease"));

test("a discovered kind and one made of names are the same to the client", async () => {
  const { apiVersion, kind, resource, scope } = await discover("v1", "ConfigMap");
  assert.deepEqual(
    { apiVersion, kind, resource, scope },
    { apiVersion: "v1", kind: "ConfigMap", resource: "configmaps", scope: "Namespaced" },
  );
});

async function discover(apiVersion: string, kind: string): Promise<Kind> {
  const server = await startApiServer({ listen: false, controllers: "none" });
  try {
    return await createClient({ transport: server.transport() }).kinds.byKind(apiVersion, kind);
  } finally {
    await server.close();
  }
}
