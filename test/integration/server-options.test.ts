// Invalid options of startApiServer() and testCluster(): the error names option, expectation and
// value, and nothing has started.
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { ServerError, startApiServer } from "@homeostat/apiserver";
import { testCluster } from "@homeostat/testing";
import { isHomeostatError } from "homeostat";

const folder = mkdtempSync(join(tmpdir(), "server-options-"));
after(() => rmSync(folder, { recursive: true }));

/** The error that refuses the start. */
async function refusal(start: () => Promise<{ close(): Promise<void> }>) {
  const error: unknown = await start().then(
    (started) => started.close(),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof ServerError || isHomeostatError(error), String(error));
  return error;
}

const pod = { apiVersion: "v1", kind: "Pod" };

const invalid: readonly (readonly [object, code: string, message: RegExp])[] = [
  [{ fakeNodes: -1 }, "OPTION", /: fakeNodes: expected a whole number from 0 to 9999, got -1$/],
  [{ port: 70_000 }, "OPTION", /: port: expected a whole number from 0 to 65535, got 70000$/],
  [{ dataDir: undefined, fsync: true }, "OPTION", /: fsync: requires dataDir/],
  [{ fakenodes: 1 }, "OPTION", /: fakenodes: unknown option; expected any of .*fakeNodes/],
  [{ controllers: ["gardener"] }, "CONTROLLER", /: controllers: unknown controller "gardener"; /],
  [{ controllers: ["default", "none"] }, "CONTROLLER", /: controllers: expected none alone, /],
  [
    { serviceClusterIpRange: "10.0.0.0" },
    "SERVICE_RANGE",
    /: serviceClusterIpRange: expected a range of addresses such as \S+, got "10\.0\.0\.0"$/,
  ],
  [
    { serviceNodePortRange: "5-1" },
    "SERVICE_RANGE",
    /: serviceNodePortRange: expected a range of ports such as 30000-32767, got "5-1"$/,
  ],
  [
    { admissionPlugins: { disable: ["Priorities"] } },
    "ADMISSION_PLUGIN",
    /: admissionPlugins\.disable: expected .*Priority.*; got "Priorities"$/,
  ],
  [
    { authorizationModes: ["RBAC", "Node"] },
    "OPTION",
    /: authorizationModes: mode "Node" is not implemented; expected any of AlwaysAllow, .*RBAC$/,
  ],
  [
    { authorizationModes: ["rbac"] },
    "OPTION",
    /: authorizationModes: expected any of .*; got "rbac"$/,
  ],
  [{ authorizationModes: [] }, "OPTION", /: authorizationModes: expected at least one mode/],
  [{ authorizationModes: ["RBAC", "RBAC"] }, "OPTION", /each mode once, got RBAC,RBAC$/],
  [{ featureGates: { AllBeta: true } }, "OPTION", /: featureGates: "AllBeta" cannot be changed/],
  [{ runtimeConfig: { "batch/v1": false } }, "OPTION", /: runtimeConfig: "batch\/v1" cannot be/],
  [{ runtimeConfig: { "api/all": "yes" } }, "OPTION", /: runtimeConfig: expected an object of/],
  [{ stages: [3] }, "STAGE", /read stage 1: an object was expected, got 3/],
  [{ stages: [null] }, "STAGE", /read stage 1: an object was expected, got null/],
  [{ stages: [{ name: "s" }] }, "STAGE", /read stage "s": for\.kind: a kind was expected/],
  [{ stages: [{ for: pod }] }, "STAGE", /read stage 1: name: a name was expected/],
  [{ stages: [{ name: "s", for: pod, next: 1 }] }, "STAGE", /next: an object was expected, got 1/],
  [
    { stages: [{ name: "s", for: pod, after: { seconds: 1 } }, { name: "t" }] },
    "STAGE",
    /stage "s": after\.seconds: not supported; .*; read stage "t": for\.kind: a kind was expected/,
  ],
  [{ stages: [{ name: "s", for: pod, weightFrom: "x" }] }, "STAGE", /stage "s": path: .*"x"/],
];

describe("invalid options of a server", () => {
  for (const [i, [options, code, message]] of invalid.entries())
    for (const readyWhen of ["serving", "controlling"] as const)
      test(`${JSON.stringify(options)}, ready when ${readyWhen}`, async () => {
        const dataDir = join(folder, `${i}-${readyWhen}`);
        const kubeconfigPath = join(folder, `${i}-${readyWhen}-kubeconfig`);
        const error = await refusal(() =>
          startApiServer({ readyWhen, dataDir, kubeconfigPath, ...options }),
        );
        assert.equal(error.code, `ERR_SERVER_${code}`);
        assert.match(error.message, message);
        assert.deepEqual([existsSync(dataDir), existsSync(kubeconfigPath)], [false, false]);
      });

  test("a list of options that is no object", async () => {
    const error = await refusal(() => startApiServer(3 as never));
    assert.match(error.message, /: options: expected an object, got a number$/);
  });
});

describe("options without effect", () => {
  for (const [options, ...expected] of [
    [
      { runtimeConfig: { "storagemigration.k8s.io/v1beta1": true } },
      "storagemigration.k8s.io/v1beta1 is not served: its feature gate StorageVersionMigrator is off",
    ],
    [
      {
        featureGates: { StorageVersionMigrator: true },
        runtimeConfig: { "storagemigration.k8s.io/v1beta1": true },
      },
    ],
    [
      { featureGates: { StorageVersionMigrator: true } },
      "storagemigration.k8s.io/v1beta1 is not served: its feature gate is on, and runtimeConfig does not enable it",
    ],
    [{ runtimeConfig: { "storagemigration.k8s.io/v1beta1": false } }],
    [
      { fakeNodes: 1 },
      "controllers: none still runs pod-lifecycle, which fakeNodes or stages need",
    ],
    [
      { stages: [{ name: "s", for: { apiVersion: "v1", kind: "Node" } }] },
      "controllers: none still runs pod-lifecycle, stages, which fakeNodes or stages need",
    ],
    [{ fakeNodes: 1, controllers: "default" }],
  ] as const)
    test(`${JSON.stringify(options)}: ${expected.length ? "a warning" : "none"}`, async () => {
      const warnings: string[] = [];
      const warn = (message: string): void => void warnings.push(message);
      const server = await startApiServer({ listen: false, controllers: "none", warn, ...options });
      await server.close();
      assert.deepEqual(warnings, expected);
    });
});

describe("invalid options of a test cluster", () => {
  for (const [options, code, message] of [
    [{ fakeNodes: 1.5 }, "ERR_SERVER_OPTION", /fakeNodes: expected a whole number .*, got 1\.5$/],
    [{ stages: {} }, "ERR_SERVER_OPTION", /stages: expected a list of stages, got an object$/],
    [{ stages: [{}] }, "ERR_SERVER_STAGE", /read stage 1: .*for\.kind: a kind was expected/],
    [
      { controlPlane: ["default", "none"] },
      "ERR_TEST_OPTION",
      /: controlPlane: expected none alone, or names without none, got "default,none"$/,
    ],
    [
      { fakenodes: 3 },
      "ERR_TEST_OPTION",
      /: start a test cluster: fakenodes: unknown option; expected any of resources, .*fakeNodes/,
    ],
    [
      { resources: {} },
      "ERR_TEST_OPTION",
      /: resources: expected a list of resources, as defineResource\(\) returns them, got an object$/,
    ],
    [{ resources: [undefined] }, "ERR_TEST_OPTION", /: resources: expected .*, got a list$/],
    [
      { controllers: [{}] },
      "ERR_TEST_OPTION",
      /: controllers: expected .*defineController\(\) .*got a list$/,
    ],
    [
      { operator: 3, log: "x" },
      "ERR_TEST_OPTION",
      /: operator: expected a string that is not empty, got a number; log: expected a log with .*, got a string$/,
    ],
    [3, "ERR_TEST_OPTION", /: options: expected an object, got a number$/],
  ] as const)
    test(JSON.stringify(options), async () => {
      const error = await refusal(() => testCluster(options as never));
      assert.equal(error.code, code);
      assert.match(error.message, message);
    });
});
