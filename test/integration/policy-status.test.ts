// The type check of validating admission policies, as their status tells it.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type Client, createClient } from "homeostat/client";
import { ValidatingAdmissionPolicy } from "homeostat/k8s/admissionregistration/v1";
import type { ApiServer } from "../../packages/apiserver/src/api-server-options.ts";
import { startApiServer } from "../../packages/apiserver/src/start-api-server.ts";

describe("the status of policies", { timeout: 30_000 }, () => {
  let server: ApiServer;
  let client: Client;
  before(async () => {
    server = await startApiServer({
      listen: false,
      controllers: ["validatingadmissionpolicy-status-controller"],
    });
    client = createClient({ transport: server.transport() });
  });
  after(async () => {
    await client.close();
    await server.close();
  });

  /** The warnings about validations of objects of one resource. */
  async function warningsOf(
    name: string,
    [group, resource]: readonly [string, string],
    ...expressions: readonly string[]
  ): Promise<readonly any[]> {
    await client.create(ValidatingAdmissionPolicy, {
      metadata: { name },
      spec: {
        matchConstraints: {
          resourceRules: [
            { apiGroups: [group], apiVersions: ["v1"], operations: ["*"], resources: [resource] },
          ],
        },
        variables: [{ name: "spec", expression: "object.spec" }],
        validations: expressions.map((expression) => ({ expression })),
      },
    });
    for await (const { object } of client.watch(ValidatingAdmissionPolicy)) {
      if (object?.metadata.name !== name || !object.status?.observedGeneration) continue;
      assert.equal(object.status.observedGeneration, object.metadata.generation);
      return object.status.typeChecking?.expressionWarnings ?? [];
    }
    return [];
  }

  test("expressions are checked against the schema of the kind", async () => {
    assert.deepEqual(
      await warningsOf(
        "a",
        ["apps", "deployments"],
        "object.spec.replicas > 1 && object.spec.strategy.rollingUpdate.maxSurge != 'x'",
        "object.spec.replicas > 'a'",
        "object.metadata.creationTimestamp == timestamp('2020-01-01T00:00:00Z')",
        "variables.spec.anything == 1",
      ),
      [
        {
          fieldRef: "spec.validations[1].expression",
          warning:
            "apps/v1, Kind=Deployment: ERROR: <input>:1:22: found no matching overload for '_>_' applied to '(int, string)'\n | object.spec.replicas > 'a'\n | .....................^\n",
        },
      ],
    );
  });

  test("schemas that refer to themselves end there", async () => {
    const warnings = await warningsOf(
      "b",
      ["apiextensions.k8s.io", "customresourcedefinitions"],
      "object.spec.versions[0].schema.openAPIV3Schema.properties['a'].type == 'x'",
    );
    assert.match(warnings[0].warning, /undefined field 'type'/);
  });
});
