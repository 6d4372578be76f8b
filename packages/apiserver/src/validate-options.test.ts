import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createVirtualRuntime } from "homeostat/runtime";
import { validateOptions } from "./validate-options.ts";

const faultsOf = (options: unknown): readonly string[] =>
  validateOptions(options).map(({ option, problem }) => `${option}: ${problem}`);

describe("validateOptions", () => {
  test("accepts every option", () => {
    assert.deepEqual(
      faultsOf({
        listen: true,
        port: 65_535,
        host: "::1",
        protocol: "http",
        clientCertificates: true,
        clientCa: "PEM",
        servingCertificate: { cert: "PEM", key: "PEM" },
        tokens: new Map([["t", { name: "jane", groups: [] }]]),
        dataDir: "data",
        fsync: true,
        kubeconfigPath: "kubeconfig",
        admissionPlugins: { enable: ["ServiceAccount"], disable: [] },
        serviceClusterIpRange: "10.0.0.0/24",
        serviceNodePortRange: "30000-32767",
        controllers: ["default", "job"],
        fakeNodes: 0,
        stages: [],
        readyWhen: "serving",
        warn: () => {},
        serviceAccountTokens: { issuer: "https://issuer", privateKey: "PEM" },
        runtime: createVirtualRuntime(),
        keepChanges: 1,
        compactionIntervalMs: 0,
        eventTtlMs: 1.5,
      }),
      [],
    );
  });

  test("accepts no options, undefined values, and fsync that is off", () => {
    assert.deepEqual(faultsOf({}), []);
    assert.deepEqual(faultsOf({ port: undefined, admissionPlugins: { enable: undefined } }), []);
    assert.deepEqual(faultsOf({ fsync: false }), []);
  });

  for (const [options, ...expected] of [
    [3, "options: expected an object, got a number"],
    [null, "options: expected an object, got null"],
    [{ fakeNodes: -1 }, "fakeNodes: expected a whole number from 0 to 9999, got -1"],
    [{ fakeNodes: 1.5 }, "fakeNodes: expected a whole number from 0 to 9999, got 1.5"],
    [{ fakeNodes: 10_000 }, "fakeNodes: expected a whole number from 0 to 9999, got 10000"],
    [{ fakeNodes: "3" }, 'fakeNodes: expected a whole number from 0 to 9999, got "3"'],
    [{ port: -1 }, "port: expected a whole number from 0 to 65535, got -1"],
    [{ port: 65_536 }, "port: expected a whole number from 0 to 65535, got 65536"],
    [{ port: 1.5 }, "port: expected a whole number from 0 to 65535, got 1.5"],
    [{ port: NaN }, "port: expected a whole number from 0 to 65535, got NaN"],
    [{ port: null }, "port: expected a whole number from 0 to 65535, got null"],
    [
      { fsync: true },
      "fsync: requires dataDir: without it, objects are in memory only; set dataDir too",
    ],
    [{ fsync: "yes", dataDir: "d" }, 'fsync: expected true or false, got "yes"'],
    [{ dataDir: "" }, 'dataDir: expected a string that is not empty, got ""'],
    [{ protocol: "h2" }, 'protocol: expected https or http, got "h2"'],
    [{ readyWhen: 1 }, "readyWhen: expected controlling or serving, got 1"],
    [{ keepChanges: 0 }, "keepChanges: expected a whole number from 1, got 0"],
    [{ eventTtlMs: -1 }, "eventTtlMs: expected a number of milliseconds from 0, got -1"],
    [
      { compactionIntervalMs: Infinity },
      "compactionIntervalMs: expected a number of milliseconds from 0, got Infinity",
    ],
    [{ controllers: "" }, "controllers: expected a list of names, got a string"],
    [{ controllers: ["job", ""] }, "controllers: expected a list of names, got a list"],
    [{ stages: {} }, "stages: expected a list of stages, got an object"],
    [{ warn: "x" }, 'warn: expected a function, got "x"'],
    [
      { runtime: { clock: {} } },
      "runtime: expected a runtime with clock, entropy and defer, got an object",
    ],
    [{ admissionPlugins: ["Priority"] }, "admissionPlugins: expected an object, got a list"],
    [
      { admissionPlugins: { enabled: ["Priority"] } },
      "admissionPlugins.enabled: unknown option; expected any of enable, disable",
    ],
    [
      { admissionPlugins: { enable: "Priority" } },
      "admissionPlugins.enable: expected a list of names, got a string",
    ],
    [
      { servingCertificate: { cert: "PEM" } },
      "servingCertificate.key: expected PEM text, got undefined",
    ],
    [{ tokens: { t: {} } }, "tokens: expected a Map of tokens to users with a name, got an object"],
    [
      { tokens: new Map([["t", "jane"]]) },
      "tokens: expected a Map of tokens to users with a name, got an object",
    ],
    [
      { port: -1, listen: 1 },
      "port: expected a whole number from 0 to 65535, got -1",
      "listen: expected true or false, got 1",
    ],
  ] as readonly (readonly [unknown, ...string[]])[])
    test(expected.join("; "), () => assert.deepEqual(faultsOf(options), expected));

  test("refuses an unknown option and lists those there are", () => {
    const [fault, ...others] = validateOptions({ fakenodes: 3 });
    assert.equal(fault?.option, "fakenodes");
    assert.match(fault.problem, /^unknown option; expected any of listen, port, .*fakeNodes, /);
    assert.deepEqual(others, []);
    assert.deepEqual(validateOptions({ constructor: 1 })[0]?.option, "constructor");
  });

  test("shows no contents of keys and certificates", () => {
    const key = "-----BEGIN PRIVATE KEY-----";
    for (const options of [
      { servingCertificate: key },
      { servingCertificate: { cert: [key], key: [key] } },
      { tokens: key },
      { serviceAccountTokens: { privateKey: [key] } },
    ])
      assert.doesNotMatch(faultsOf(options).join(), /BEGIN/);
  });
});
