import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "homeostat/api";
import { readKindData } from "../../apimachinery/kind-data/read-kind-data.ts";
import { patchTypeOf } from "../../apimachinery/types/patch-meta.ts";
import { unstructuredFault } from "./unstructured-fault.ts";

const pod = patchTypeOf(readKindData("1.36"), "io.k8s.api.core.v1.Pod");

const probed = (port: Json): Json => ({
  spec: { containers: [{ livenessProbe: { tcpSocket: { port } } }] },
});

test("values of a wrong type are refused with the converter's messages", () => {
  const rows: readonly (readonly [Json, string | undefined])[] = [
    [{ metadata: { labels: { a: 5 } } }, "cannot convert int64 to string"],
    [{ metadata: { labels: { a: true } } }, "unrecognized type: string"],
    [{ metadata: { labels: 5 } }, "cannot restore map from int64"],
    [{ metadata: { finalizers: [{}] } }, "unrecognized type: string"],
    [{ metadata: { finalizers: {} } }, "cannot restore slice from map"],
    [{ spec: [] }, "cannot restore struct from: slice"],
    [{ spec: { activeDeadlineSeconds: 1.5 } }, "cannot convert float64 to int64"],
    [{ spec: { activeDeadlineSeconds: "1" } }, "unrecognized type: int64"],
    [{ spec: { hostNetwork: 1 } }, "unrecognized type: bool"],
    [{ spec: { restartPolicy: 1 } }, "cannot convert int64 to v1.RestartPolicy"],
    [{ spec: { containers: [{ ports: [{ containerPort: "x" }] }] } }, "unrecognized type: int32"],
    [
      { metadata: { creationTimestamp: 7 } },
      "json: cannot unmarshal number into Go value of type string",
    ],
    [
      { metadata: { creationTimestamp: {} } },
      "json: cannot unmarshal object into Go value of type string",
    ],
    [probed(true), "json: cannot unmarshal bool into Go value of type int32"],
    [probed([1]), "json: cannot unmarshal array into Go value of type int32"],
    [probed(1.5), "json: cannot unmarshal number 1.5 into Go value of type int32"],
    [probed(2 ** 31), "json: cannot unmarshal number 2147483648 into Go value of type int32"],
    [probed(80), undefined],
    [probed("web"), undefined],
    [{ spec: { activeDeadlineSeconds: 1e300, priority: 2 ** 31 } }, undefined],
    [
      {
        metadata: { labels: null, finalizers: null },
        spec: { activeDeadlineSeconds: 1, containers: [{ resources: { limits: { cpu: 1 } } }] },
      },
      undefined,
    ],
  ];
  for (const [value, fault] of rows)
    assert.equal(unstructuredFault(pod, value), fault, JSON.stringify(value));
});

test("bytes may come as a list of integers", () => {
  const secret = patchTypeOf(readKindData("1.36"), "io.k8s.api.core.v1.Secret");
  const fault = (k: Json): string | undefined => unstructuredFault(secret, { data: { k } });
  assert.equal(fault([1, null]), undefined);
  assert.equal(fault(["a"]), "unrecognized type: uint8");
  assert.equal(fault([{}]), "unrecognized type: uint8");
  assert.equal(fault([1.5]), "cannot convert float64 to uint8");
  assert.equal(fault({}), "cannot restore slice from map");
});
