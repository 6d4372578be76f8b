import assert from "node:assert/strict";
import { test } from "node:test";
import { parseYaml } from "../body/parse-yaml.ts";
import { formatFloatKey, resolveScalar } from "./resolve-scalar.ts";

const value = (text: string): unknown => resolveScalar(text).value;

test("integers have Go's bases", () => {
  for (const [text, number] of [
    ["0x1F", 31],
    ["0b11", 3],
    ["0o17", 15],
    ["017", 15],
    ["0o_7", 7],
    ["-0x1f", -31],
    ["1__0", 10],
    ["-0", 0],
    ["18446744073709551615", 18446744073709551615n],
  ] as const)
    assert.deepEqual(resolveScalar(text), { type: "int", value: number }, text);
});

test("what is beyond them is a float, and otherwise text", () => {
  assert.deepEqual(
    ["08", "1.", ".5", "-.5", "1_0.5", ".5_0e1_0", "18446744073709551616"].map(value),
    [8, 1, 0.5, -0.5, 10.5, 5e9, 2 ** 64],
  );
  for (const text of [
    "1:30",
    "0b12",
    "0o8",
    "0x",
    "_1",
    ".5__0",
    ".5_e1",
    "1e400",
    "12e",
    "2001-01-01",
  ])
    assert.equal(value(text), text);
});

test("words are booleans, null and what JSON cannot have", () => {
  assert.deepEqual(["y", "Off", "~", "", "+.Inf"].map(value), [true, false, null, null, Infinity]);
});

test("a float as a key is a float32 in Go's short form", () => {
  assert.deepEqual(
    [1e3, 1e6, 1234567.5, 1e-4, 1e-5, 3.14159265358979, 1e40, -Infinity].map(formatFloatKey),
    ["1000", "1e+06", "1.2345675e+06", "0.0001", "1e-05", "3.1415927", ".inf", "-.inf"],
  );
});

test("tags convert what they can, and numbers beyond int64 are no integers", async () => {
  const read = async (text: string) => (await parseYaml(text)).value;
  assert.deepEqual(await read("{a: !!float 5, b: !!int '5', c: !!str 5, d: ! 5, 1e6: x}"), {
    "1e+06": "x",
    a: 5,
    b: 5,
    c: "5",
    d: "5",
  });
  await assert.rejects(read("a: !!int 1.5"), /cannot decode !!float `1.5` as a !!int$/);
  await assert.rejects(read("9223372036854775808: x"), /type: uint64, key: 0x8000000000000000, /);
  const { floatLiterals } = await parseYaml("{a: 18446744073709551616, b: 1e21, c: 1e3}");
  assert.deepEqual(Object.fromEntries(floatLiterals), { a: "18446744073709552000", b: "1e+21" });
});
