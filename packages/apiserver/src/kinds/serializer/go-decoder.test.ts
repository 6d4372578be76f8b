import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { parseApiVersion, parseJson } from "homeostat/api";
import { openKindData } from "../../apimachinery/kind-data/open-kind-data.ts";
import { createGoDecoder, GoDecodeError, type GoDecoded } from "./go-decoder.ts";

const data = openKindData(
  readFileSync(new URL("../../../data/v1.36.jsonl", import.meta.url), "utf8"),
);

const decode = (apiVersion: string, kind: string, text: string): GoDecoded => {
  const { group, version } = parseApiVersion(apiVersion)!;
  const { type } = data.kind(group, version, kind)!;
  return createGoDecoder(data, type, { emptyLists: "null" }).decode(parseJson(text));
};

/** Decodes each document as the type and expects Go's error. */
function assertFaults(apiVersion: string, kind: string, faults: Record<string, string>): void {
  for (const [text, message] of Object.entries(faults)) {
    const expected = (error: unknown): boolean =>
      error instanceof GoDecodeError && error.message === message;
    assert.throws(() => decode(apiVersion, kind, text), expected, text);
  }
}

test("lists, maps and bytes that a document has empty are dropped and reported", () => {
  const { object, emptied } = decode(
    "v1",
    "Pod",
    '{"metadata":{"labels":{},"uid":""},"spec":{"containers":[{"args":[],"command":null}]}}',
  );
  assert.deepEqual(object, {
    metadata: {},
    spec: { containers: [{ name: "", resources: {} }] },
    status: {},
  });
  assert.deepEqual(emptied, [
    { path: ["metadata", "labels"], value: {} },
    { path: ["spec", "containers", 0, "args"], value: [] },
  ]);
  assert.deepEqual(
    decode("v1", "Pod", '{"spec":{"containers":[],"tolerations":[]}}').emptied.map(
      ({ path }) => path,
    ),
    [
      ["spec", "containers"],
      ["spec", "tolerations"],
    ],
  );
});

test("unknown and doubled fields are dropped and reported in the order of the document", () => {
  const { object, strictErrors } = decode(
    "v1",
    "ConfigMap",
    '{"x":1,"metadata":{"name":"a","nmae":"b"},"data":{"k":"1","k":"2"},"metadata":{"name":"c"}}',
  );
  assert.deepEqual(object, { metadata: { name: "c" }, data: { k: "2" } });
  assert.deepEqual(strictErrors, [
    'unknown field "x"',
    'duplicate field "data.k"',
    'duplicate field "metadata"',
  ]);
  assert.deepEqual(
    decode("v1", "ConfigMap", '{"data":{"k":"1","k":"2"},"x":{"y":1},"data":{},"z":1}')
      .strictErrors,
    [
      'duplicate field "data.k"',
      'unknown field "x"',
      'duplicate field "data"',
      'unknown field "z"',
    ],
  );
});

test("a key is doubled only where the decoder looks", () => {
  assert.deepEqual(decode("v1", "ConfigMap", '{"other":{"a":1,"a":2}}').strictErrors, [
    'unknown field "other"',
  ]);
});

test("nulls are dropped from structs, and become zero in maps and lists", () => {
  assert.deepEqual(
    decode(
      "v1",
      "ConfigMap",
      '{"metadata":{"name":null,"labels":{"a":null},"finalizers":["x",null]},"immutable":null,"data":{"k":null}}',
    ).object,
    {
      metadata: { labels: { a: "" }, finalizers: ["x", ""] },
      data: { k: "" },
    },
  );
});

test("unset fields that Go writes are present", () => {
  assert.deepEqual(decode("apps/v1", "Deployment", "{}").object, {
    metadata: {},
    spec: { selector: null, template: { metadata: {}, spec: { containers: null } }, strategy: {} },
    status: {},
  });
  assert.deepEqual(decode("rbac.authorization.k8s.io/v1", "Role", '{"rules":[]}').object, {
    metadata: {},
    rules: [],
  });
});

test("type errors name struct, path and Go type", () => {
  assertFaults("v1", "ConfigMap", {
    '{"data":"x"}':
      "json: cannot unmarshal string into Go struct field ConfigMap.data of type map[string]string",
    '{"metadata":{"labels":{"a":1}}}':
      "json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type string",
  });
  assertFaults("apps/v1", "Deployment", {
    '{"spec":{"replicas":1.0}}':
      "json: cannot unmarshal number 1.0 into Go struct field DeploymentSpec.spec.replicas of type int32",
  });
  assertFaults("v1", "Pod", {
    '{"spec":{"volumes":[{"emptyDir":3}]}}':
      "json: cannot unmarshal number into Go struct field Volume.spec.volumes.VolumeSource.emptyDir of type v1.EmptyDirVolumeSource",
  });
});

test("a type's own decoder ends the search for faults", () => {
  assertFaults("v1", "ConfigMap", {
    '{"data":1,"metadata":{"creationTimestamp":7}}':
      "json: cannot unmarshal number into Go struct field ObjectMeta.metadata.creationTimestamp of type string",
  });
  assertFaults("v1", "Pod", {
    '{"spec":{"containers":[{"resources":{"limits":{"cpu":"much"}}}]}}':
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
  });
});

test("schemas inside schemas report the whole path and no unknown fields", () => {
  const crd = (schema: string): string =>
    `{"spec":{"versions":[{"schema":{"openAPIV3Schema":{"items":${schema}}}}]}}`;
  assertFaults("apiextensions.k8s.io/v1", "CustomResourceDefinition", {
    [crd('{"minimum":"1"}')]:
      "json: cannot unmarshal string into Go struct field JSONSchemaProps.spec.versions.schema.openAPIV3Schema.items.minimum of type float64",
  });
  assert.deepEqual(
    decode("apiextensions.k8s.io/v1", "CustomResourceDefinition", crd('{"unknown":1}'))
      .strictErrors,
    [],
  );
});

test("base64 is checked to the byte and made canonical", () => {
  assertFaults("v1", "PersistentVolumeClaim", {
    '{"status":{"allocatedResourceStatuses":{"storage":5}}}':
      "json: cannot unmarshal number into Go struct field PersistentVolumeClaimStatus.status.allocatedResourceStatuses of type v1.ClaimResourceStatus",
  });
  assertFaults("v1", "Secret", {
    '{"data":{"a":"aGk*"}}': "illegal base64 data at input byte 3",
    '{"data":{"a":"aGk"}}': "illegal base64 data at input byte 0",
  });
  assert.deepEqual(decode("v1", "Secret", '{"data":{"a":"aG\\nk="}}').object["data"], {
    a: "aGk=",
  });
});

test("numbers of ports and quantities are literals too", () => {
  const port = (literal: string): string =>
    `{"spec":{"ports":[{"port":1,"targetPort":${literal}}]}}`;
  assertFaults("v1", "Service", {
    [port("80.0")]:
      "json: cannot unmarshal number 80.0 into Go struct field ServicePort.spec.ports.targetPort of type int32",
    [port("2147483648")]:
      "json: cannot unmarshal number 2147483648 into Go struct field ServicePort.spec.ports.targetPort of type int32",
  });
  const { object } = decode("v1", "Service", port("-2147483648"));
  assert.ok(JSON.stringify(object).includes('"targetPort":-2147483648'));
  assert.deepEqual(
    decode("v1", "ResourceQuota", '{"spec":{"hard":{"a":1e3,"b":1000}}}').object.spec,
    {
      hard: { a: "1e3", b: "1k" },
    },
  );
});
