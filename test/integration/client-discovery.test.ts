// Kinds that appear, change their version and disappear while a client runs.
import assert from "node:assert/strict";
import { it } from "node:test";
import { isNotFound } from "homeostat/api";
import { dynamicKind } from "homeostat/client";
import { describeClient } from "../fixtures/describe-client.ts";

const Crd = dynamicKind({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  resource: "customresourcedefinitions",
  scope: "Cluster",
});
const schema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

describeClient("discovery", (open) => {
  async function define(group: string, served: Readonly<Record<string, boolean>>): Promise<void> {
    const versions = Object.entries(served).map(([name, isServed]) => ({
      name,
      served: isServed,
      storage: name === "v1",
      schema: { openAPIV3Schema: schema },
    }));
    const names = { kind: "Jar", plural: "jars", singular: "jar" };
    await open().apply(
      Crd,
      {
        metadata: { name: `jars.${group}` },
        spec: { group, scope: "Namespaced", names, versions },
      },
      { force: true },
    );
  }

  /** Discovery follows a definition after a moment. */
  async function eventually(holds: () => Promise<unknown>): Promise<void> {
    for (;;) {
      try {
        await holds();
        return;
      } catch (error) {
        if (!(error as Error).message.includes("ERR_DISCOVERY") && !isNotFound(error)) throw error;
      }
    }
  }

  it("follows a definition from its creation to its deletion", async () => {
    const client = open();
    const group = `jars-${client.namespace}.example.com`;
    const name = `jars.${group}`;
    await client.kinds.all();
    await define(group, { v1: true });
    await eventually(() => client.kinds.byResource(name));
    const first = await client.kinds.byResource(name);
    assert.equal(first.version, "v1");
    await eventually(() => client.list(first));
    await client.create(first, { metadata: { name: "a" } });

    await define(group, { v1: false, v2: true });
    await eventually(async () => {
      await assert.rejects(client.list(first), isNotFound);
    });
    await eventually(() => client.kinds.byKind(`${group}/v2`, "Jar"));
    const second = await client.kinds.byResource(name);
    assert.equal(second.version, "v2");
    await eventually(() => client.get(second, "a"));

    await client.delete(Crd, name);
    for (;;) {
      const gone = await client.list(second).then(() => false, isNotFound);
      const kind = await client.kinds.byResource(name).catch((error: Error) => error);
      if (gone && kind instanceof Error) {
        assert.match(kind.message, /ERR_DISCOVERY_NO_KIND/);
        break;
      }
    }
  });

  it("names the groups that share a resource's name", async () => {
    const client = open();
    const groups = ["a", "b"].map((each) => `${each}-${client.namespace}.example.com`);
    for (const group of groups) {
      await define(group, { v1: true });
      await eventually(() => client.kinds.byResource(`jars.${group}`));
    }
    await assert.rejects(client.kinds.byResource("jars"), (error: Error) => {
      assert.match(error.message, /ERR_DISCOVERY_AMBIGUOUS/);
      return groups.every((group) => error.message.includes(`jars.${group}`));
    });
    for (const group of groups) await client.delete(Crd, `jars.${group}`);
  });
});
