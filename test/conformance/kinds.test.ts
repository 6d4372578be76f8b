// Every source of a Kind runs the kind suite.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { startApiServer } from "@homeostat/apiserver";
import { defineResource, type Kind } from "homeostat";
import { createClient, dynamicKind } from "homeostat/client";
import { ConfigMap } from "homeostat/k8s/core/v1";
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
kindSuite("homeostat/k8s", () => ConfigMap);
kindSuite("discovery", () => discover("coordination.k8s.io/v1", "Lease"));

test("a discovered kind and one made of names are the same to the client", async () => {
  const { apiVersion, kind, resource, scope } = await discover("v1", "ConfigMap");
  assert.deepEqual(
    { apiVersion, kind, resource, scope },
    { apiVersion: "v1", kind: "ConfigMap", resource: "configmaps", scope: "Namespaced" },
  );
});

test("every kind of homeostat/k8s has the names that the server discovers", async () => {
  const server = await startApiServer({
    listen: false,
    controllers: "none",
    featureGates: { StorageVersionMigrator: true },
    runtimeConfig: { "storagemigration.k8s.io/v1beta1": true },
  });
  try {
    const names = ({ apiVersion, kind, resource, scope }: Kind): string =>
      [apiVersion, kind, resource, scope].join(" ");
    const discovered = await createClient({ transport: server.transport() }).kinds.all();
    assert.deepEqual(
      (await builtInKinds()).map(names).toSorted(),
      discovered.map(names).toSorted(),
    );
  } finally {
    await server.close();
  }
});

/** The values of all `homeostat/k8s` subpaths. */
async function builtInKinds(): Promise<readonly Kind[]> {
  const manifest = new URL("../../packages/homeostat/package.json", import.meta.url);
  const { exports } = JSON.parse(readFileSync(manifest, "utf8")) as { readonly exports: object };
  const subpaths = Object.keys(exports).filter((subpath) => subpath.startsWith("./k8s/"));
  const modules = await Promise.all(
    subpaths.map((subpath) => import(`homeostat${subpath.slice(1)}`) as Promise<object>),
  );
  return modules.flatMap((module) => Object.values(module) as readonly Kind[]);
}

async function discover(apiVersion: string, kind: string): Promise<Kind> {
  const server = await startApiServer({ listen: false, controllers: "none" });
  try {
    return await createClient({ transport: server.transport() }).kinds.byKind(apiVersion, kind);
  } finally {
    await server.close();
  }
}
