import assert from "node:assert/strict";
import { test } from "node:test";
import { assertRoutable, type Offer, mediaTypes, negotiate, wantsPretty } from "./accept.ts";
import { parseAccept } from "./accept-header.ts";
import { indentJson } from "./indent-json.ts";

const builtin: Offer = { protobuf: "objects", table: true };
const table = "application/json;as=Table;v=v1;g=meta.k8s.io";

test("clauses by quality, wildcards last", () => {
  assert.deepEqual(
    parseAccept("*/*, text/plain;q=0.5, application/json;q=0.5, a/b").map(
      ({ type, subtype }) => `${type}/${subtype}`,
    ),
    ["a/b", "text/plain", "application/json", "*/*"],
  );
  assert.deepEqual(
    parseAccept("application/*, application/json;q=0.9, application/yaml").map(
      ({ subtype }) => subtype,
    ),
    ["yaml", "json", "*"],
  );
  assert.deepEqual(
    parseAccept("nonsense, a/b/c, *").map(({ type, subtype }) => `${type}/${subtype}`),
    ["*/*"],
  );
});

test("the quality of a clause is 1 where its parameter is malformed, and 0 for what is no number", () => {
  const qualities = (header: string): number[] => parseAccept(header).map(({ quality }) => quality);
  assert.deepEqual(qualities("a/b;q=,"), [1]);
  assert.deepEqual(qualities("a/b;q=0.5=0.2"), [1]);
  assert.deepEqual(qualities("a/b;q=1.5 , c/d;q= "), [1.5, 1]);
  assert.deepEqual(qualities("a/b;q=half"), [0]);
  assert.deepEqual(qualities("a/b;q= 0.5"), [0]);
  assert.deepEqual(qualities("a/b;q=0.5x"), [0]);
  assert.deepEqual(qualities("a/b;q=5e-1"), [0.5]);
});

test("accepted media types", () => {
  const agreed = (header: string, offer = builtin): string => {
    const { mediaType, transform } = negotiate(header, offer);
    return `${mediaType.slice("application/".length)}${transform ? ` ${transform.kind} ${transform.version}` : ""}`;
  };
  assert.equal(agreed(""), "json");
  assert.equal(agreed("application/*"), "json");
  assert.equal(agreed("text/plain, application/yaml"), "yaml");
  assert.equal(agreed(`${table},application/json`), "json Table v1");
  assert.equal(agreed("application/json;as=Table;v=v9;g=meta.k8s.io,application/json"), "json");
  assert.equal(
    agreed("application/vnd.kubernetes.protobuf, application/json"),
    "vnd.kubernetes.protobuf",
  );
  assert.equal(agreed("application/vnd.kubernetes.protobuf"), "vnd.kubernetes.protobuf");
  assert.equal(agreed("application/json;as="), "json");
  assert.equal(agreed(`${table},application/yaml`, { ...builtin, forms: "own" }), "yaml");
  assert.equal(
    agreed("application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;v=v1;g=meta.k8s.io", {
      ...builtin,
      protobuf: "metadata",
    }),
    "vnd.kubernetes.protobuf PartialObjectMetadata v1",
  );
});

test("refused media types", () => {
  const message =
    "only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf";
  assert.throws(() => negotiate("image/png", builtin), { message });
  assert.throws(() => negotiate(table, { ...builtin, table: false }), { message });
  assert.throws(
    () => negotiate("application/vnd.kubernetes.protobuf", { ...builtin, protobuf: "metadata" }),
    { message },
  );
  assert.throws(() => assertRoutable("application/*", mediaTypes), {
    message:
      "406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, application/vnd.kubernetes.protobuf",
  });
  assert.doesNotThrow(() => assertRoutable("application/json;as=Nothing", mediaTypes));
});

test("curl, wget and browsers get indented responses, unless the query disables it", () => {
  const query = (raw: string, pretty?: string) => ({ raw, first: () => pretty });
  assert.equal(wantsPretty(query(""), "curl/8"), true);
  assert.equal(wantsPretty(query("pretty=0", "0"), "curl/8"), false);
  assert.equal(wantsPretty(query("pretty=true", "true"), "go"), true);
  assert.equal(wantsPretty(query("pretty", ""), "go"), false);
});

test("indented JSON reads the same", () => {
  const text = '{"a":[1,{"b":"},{\\""}],"c":{},"d":[],"e":12345678901234567890}';
  assert.equal(indentJson(text).replace(/\n */g, "").replaceAll('": ', '":'), text);
  assert.equal(indentJson('{"a":1}\n'), '{\n  "a": 1\n}');
});
