import assert from "node:assert/strict";
import { test } from "node:test";
import { checkHealth, checkMetrics } from "./check-operations.ts";

test("wrong options of probes are named", () => {
  const check = (): void => {};
  assert.deepEqual(checkHealth({ port: 0, host: "::1", readyz: { "db/main": check } }), []);
  assert.deepEqual(checkHealth(8081), ["health is 8081, expected options"]);
  assert.deepEqual(
    checkHealth({
      adress: "",
      port: 65_536,
      host: "",
      healthz: { ping: check, "a b": check },
      readyz: { db: 5 },
    }),
    [
      "health.adress: unknown option; expected any of port, host, healthz, readyz",
      "health.port is 65536, expected a number from 0 to 65535",
      "health.host is '', expected an address such as \"127.0.0.1\"",
      "health.healthz.ping: the manager has a check of this name",
      "health.healthz: 'a b' is no name that fits into a path",
      "health.readyz.db is 5, expected a function",
    ],
  );
});

test("wrong options of metrics are named", () => {
  const files = { certFile: "tls.crt", keyFile: "tls.key" };
  const right = [
    {},
    { port: false, tls: files },
    { tls: "self-signed", authorization: "delegated" },
  ];
  for (const metrics of right) assert.deepEqual(checkMetrics({ metrics }), []);
  const client = { request() {} };
  assert.deepEqual(checkMetrics({ metrics: { authorization: { client } }, clusters: {} }), []);
  assert.deepEqual(checkMetrics({ metrics: { authorization: "delegated" }, clusters: {} }), [
    "metrics.authorization: expected { client }, the client of the cluster that decides who may read",
  ]);
  const metrics = {
    port: true,
    tls: { certFile: "a" },
    authorization: "yes",
    introspection: "on",
    custom: {},
    path: "",
  };
  assert.deepEqual(checkMetrics({ metrics }), [
    "metrics.path: unknown option; expected any of custom, port, host, tls, authorization, introspection",
    "metrics.custom is {}, expected what createMetrics returns",
    "metrics.port is true, expected a number from 0 to 65535",
    "metrics.tls is { certFile: 'a' }, expected \"self-signed\" or { certFile, keyFile }",
    'metrics.authorization is neither "delegated" nor { client }',
    "metrics.introspection is 'on', expected true or false",
  ]);
});
