import assert from "node:assert/strict";
import { it } from "node:test";
import { toStoredFields, withAmounts } from "./as-stored.ts";

it("moves stringData of Secrets only", () => {
  const secret = { apiVersion: "v1", kind: "Secret", data: { a: "MQ==", b: "Mg==" } };
  assert.deepEqual(toStoredFields({ ...secret, stringData: { b: "ü", c: "" } }), {
    ...secret,
    data: { a: "MQ==", b: "w7w=", c: "" },
  });
  assert.equal(toStoredFields(secret), secret);
  const other = { apiVersion: "example.com/v1", kind: "Secret", stringData: { a: "b" } };
  assert.equal(toStoredFields(other), other);
});

it("compares quantities of built-in kinds by amount", () => {
  const amounts = (apiVersion: string, cpu: unknown) =>
    JSON.stringify(
      withAmounts(apiVersion, {
        spec: { containers: [{ resources: { limits: { cpu } } }] },
      } as never),
    );
  const same = (a: unknown, b: unknown, apiVersion = "apps/v1"): boolean =>
    amounts(apiVersion, a) === amounts(apiVersion, b);
  for (const [a, b] of [
    ["1000m", "1"],
    ["0.5", "500m"],
    [1, "1"],
    ["1024Mi", "1Gi"],
    ["1e3", "1k"],
    ["0.1", "100m"],
    [".5", "500m"],
    ["1000000n", "1m"],
    ["1000u", "1m"],
    ["1000k", "1M"],
    ["1000M", "1G"],
    ["1000G", "1T"],
    ["1000T", "1P"],
    ["1000P", "1E"],
    ["1024", "1Ki"],
    ["1024Ki", "1Mi"],
    ["1024Gi", "1Ti"],
    ["1024Ti", "1Pi"],
    ["1024Pi", "1Ei"],
    ["1000000", "1M"],
  ])
    assert.ok(same(a, b), `${a} and ${b}`);
  for (const [a, b] of [
    ["1", "2"],
    ["1M", "1Mi"],
    ["1", "1m"],
    ["x", "y"],
  ])
    assert.ok(!same(a, b), `${a} and ${b}`);
  assert.ok(!same("1000m", "1", "example.com/v1"), "a string of a third-party kind is a string");
  const data = { data: { limits: "1000m" } };
  assert.deepEqual(withAmounts("v1", data), data);
});
