import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { formatContinue, parseContinue } from "./continue-token.ts";

const name = fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,20}$/);

test("a token parses back to itself", () => {
  fc.assert(
    fc.property(
      fc.array(name, { minLength: 1, maxLength: 2 }),
      fc.oneof(fc.constant(-1), fc.integer({ min: 1 })),
      (parts, revision) => {
        const token = { start: `${parts.join("/")}\u0000`, revision };
        assert.deepEqual(parseContinue(formatContinue(token)), token);
      },
    ),
  );
});

test("tokens that are none", () => {
  const encode = (text: string): string => Buffer.from(text).toString("base64url");
  const table: readonly (readonly [string, string])[] = [
    ["zz", "continue key is not valid: invalid character 'Ï' looking for beginning of value"],
    ["gA", "continue key is not valid: invalid character '\\u0080' looking for beginning of value"],
    ["w6k", "continue key is not valid: invalid character 'Ã' looking for beginning of value"],
    ["%%", "continue key is not valid: illegal base64 data at input byte 0"],
    [
      encode("[]"),
      "continue key is not valid: json: cannot unmarshal array into Go value of type storage.continueToken",
    ],
    [
      encode('{"rv":"5"}'),
      "continue key is not valid: json: cannot unmarshal string into Go struct field continueToken.rv of type int64",
    ],
    [encode("{}"), "continue key is not valid: server does not recognize this encoded version "],
    [
      encode('{"v":"meta.k8s.io/v1"}'),
      "continue key is not valid: incorrect encoded start resourceVersion (version meta.k8s.io/v1)",
    ],
    [
      encode('{"v":"meta.k8s.io/v1","rv":1}'),
      "continue key is not valid: encoded start key empty (version meta.k8s.io/v1)",
    ],
    [encode('{"v":"meta.k8s.io/v1","rv":1,"start":"../x"}'), "continue key is not valid: ../x"],
  ];
  for (const [token, message] of table)
    assert.throws(() => parseContinue(token), { message: `invalid continue token: ${message}` });
});
