// What go-yaml makes of texts, generated ones and hard ones: testdata/go-yaml.jsonl was recorded
// with sigs.k8s.io/yaml v1.6.0 (YAMLToJSON, YAMLToJSONStrict) over go.yaml.in/yaml/v2 v2.4.3, and
// so were the limits below.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { encodeJson, parseJson } from "homeostat/api";
import { parseYaml, YamlSyntaxError } from "../body/parse-yaml.ts";

interface Recorded {
  readonly yaml: string;
  readonly json?: string;
  readonly error?: string;
  readonly strict?: string;
}

const recorded = readFileSync(new URL("testdata/go-yaml.jsonl", import.meta.url), "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => JSON.parse(line) as Recorded);

/** What is compared of a text: the value and the strict errors, or the fault. */
async function read(yaml: string | Uint8Array): Promise<Omit<Recorded, "yaml">> {
  try {
    const { value, strictErrors } = await parseYaml(yaml);
    const strict = ["yaml: unmarshal errors:", ...strictErrors].join("\n  ");
    return { json: encodeJson(value), ...(strictErrors.length ? { strict } : {}) };
  } catch (error) {
    if (error instanceof YamlSyntaxError) return { error: error.message };
    throw error;
  }
}

test("recorded texts mean what they mean to go-yaml, or have its fault", async () => {
  for (const { yaml, ...expected } of recorded) {
    const json = expected.json && encodeJson(parseJson(expected.json).value);
    assert.deepEqual(await read(yaml), json ? { ...expected, json } : expected, yaml);
  }
});

const depth = 10_000;

for (const [what, yaml, expected] of [
  ["brackets of the last level", "[".repeat(depth) + "]".repeat(depth), undefined],
  ["brackets below it", "[".repeat(depth + 1), "yaml: exceeded max depth of 10000"],
  ["braces below it", "{a: ".repeat(depth + 1), "yaml: exceeded max depth of 10000"],
  ["blocks of the last level", `${"- ".repeat(depth)}a`, undefined],
  ["blocks below it", "- ".repeat(depth + 1), "yaml: exceeded max depth of 10000"],
  [
    "a fault before the depth",
    `@${"[".repeat(depth + 1)}`,
    "yaml: found character that cannot start any token",
  ],
  ["a depth before the fault", `${"[".repeat(depth + 1)}\n@`, "yaml: exceeded max depth of 10000"],
  ["a key of 1024 characters", `${"a".repeat(1024)}: 1`, undefined],
  [
    "a key of more",
    `${"a".repeat(1025)}: 1`,
    "yaml: mapping values are not allowed in this context",
  ],
  ["a key of pairs of surrogates", `${"😀".repeat(1024)}: 1`, undefined],
  [
    "a control character behind a fault",
    `a: b: c\n${"# a\n".repeat(200)}\u0001`,
    "yaml: mapping values are not allowed in this context",
  ],
  [
    "one before a fault",
    `${"# a\n".repeat(200)}a: b: c\n\u0001`,
    "yaml: control characters are not allowed",
  ],
  ["one behind the document", `a: 1\n---\n${"# a\n".repeat(200)}\u0001`, undefined],
  ["aliases of aliases", bomb(), "yaml: document contains excessive aliasing"],
] as const)
  test(`limits: ${what}`, async () => assert.equal((await read(yaml)).error, expected));

/** Nine times as many nodes with each of its lines. */
function bomb(): string {
  const names = [..."abcdefghij"];
  return names
    .map(
      (name, i) =>
        `${name}: &${name} [${Array(9)
          .fill(i ? `*${names[i - 1]}` : "x")
          .join(",")}]\n`,
    )
    .join("");
}

for (const [what, latin1, error] of [
  ["a byte that begins nothing", "a: \xff", "yaml: invalid leading UTF-8 octet"],
  ["a byte that continues nothing", "a: \xc3(", "yaml: invalid trailing UTF-8 octet"],
  ["an end within a character", "a: \xe2\x82", "yaml: incomplete UTF-8 octet sequence"],
  ["a character that is written too long", "\xc0\x80", "yaml: invalid length of a UTF-8 sequence"],
  ["half a pair of surrogates", "\xed\xa0\x80", "yaml: invalid Unicode character"],
  ["in JSON", '{"a":"\xff"}', "yaml: invalid leading UTF-8 octet"],
  [
    "a fault of the chunk before",
    `a: b: c\n${"# a\n".repeat(200)}\xff`,
    "yaml: mapping values are not allowed in this context",
  ],
  ["a fault of the same chunk", "a: b: c\n\xff", "yaml: invalid leading UTF-8 octet"],
  [
    "a fault before the end within a character",
    "a: b: c\n\xc3",
    "yaml: mapping values are not allowed in this context",
  ],
  ["behind the document", `a: 1\n---\n${"# a\n".repeat(200)}\xff`, undefined],
] as const)
  test(`bytes that are no UTF-8: ${what}`, async () => {
    assert.equal((await read(Buffer.from(latin1, "latin1"))).error, error);
  });

const [mark, odd] = ["\ufeff", Buffer.from("x")];
const utf16 = (text: string): Buffer => Buffer.from(mark + text, "utf16le");
const fault = "a: b: c\n";

for (const [what, bytes, expected] of [
  ["little-endian", utf16("a: é😀"), { json: '{"a":"é😀"}' }],
  ["big-endian", utf16("a: é😀").swap16(), { json: '{"a":"é😀"}' }],
  ["an odd byte", Buffer.concat([utf16("a"), odd]), "incomplete UTF-16 character"],
  ["a low half", utf16("a: \udc00"), "unexpected low surrogate area"],
  ["a high half", utf16("a: \ud800b"), "expected low surrogate area"],
  ["a high half at the end", utf16("a: \ud800"), "incomplete UTF-16 surrogate pair"],
  [
    "a control character of the same chunk",
    utf16(`${fault}${"#".repeat(243)}\u0001`),
    "control characters are not allowed",
  ],
  [
    "a control character of the next chunk",
    utf16(`${fault}${"#".repeat(248)}\u0001`),
    "mapping values are not allowed in this context",
  ],
] as const)
  test(`UTF-16: ${what}`, async () => {
    const error = { error: `yaml: ${String(expected)}` };
    assert.deepEqual(await read(bytes), typeof expected === "string" ? error : expected);
  });
