import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "homeostat/api";
import { readKindData } from "../../apimachinery/kind-data/read-kind-data.ts";
import { patchTypeOf } from "../../apimachinery/types/patch-meta.ts";
import { unstructuredFault } from "./unstructured-fault.ts";

const pod = patchTypeOf(readKindData("1.36"), "io.k8s.api.core.v1.Pod");

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
