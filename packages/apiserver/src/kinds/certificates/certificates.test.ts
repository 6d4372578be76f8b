import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "homeostat/api";
import { openKind } from "../open-kind.suite.ts";
import { signingRequestFault } from "./read-signing-request.ts";

const pem = [
  "-----BEGIN CERTIFICATE REQUEST-----",
  "MIHYMH8CAQAwHTENMAsGA1UECgwEZGV2czEMMAoGA1UEAwwDYW5uMFkwEwYHKoZI",
  "zj0CAQYIKoZIzj0DAQcDQgAEDZvLW4nnn3HRfTaD5DNRQtJY0kdM4zZt8g1fOmSC",
  "pRRwztofhITl+bEl1cuHMy4P4Cm3lnvgJU8hY39LP3fToKAAMAoGCCqGSM49BAMC",
  "A0kAMEYCIQCvTdm5K2mtBahQZe9W/xDAhF2YTTgIFcbwmTu3+959OgIhANpz5kyN",
  "H26Odw0UU7OGbLKr9qa9sF2+6pKQIeOsqtrf",
  "-----END CERTIFICATE REQUEST-----",
].join("\n");
const requests = openKind("certificates.k8s.io", "certificatesigningrequests");
const body = (spec: object = {}, status: object = {}): object => ({
  metadata: { name: "r" },
  spec: {
    request: Buffer.from(pem).toString("base64"),
    signerName: "x.test/y",
    usages: ["client auth"],
    ...spec,
  },
  status,
});
const statusOf = (object: JsonObject): JsonObject => object["status"] as JsonObject;

test("a request is signed by its own key", () => {
  assert.equal(signingRequestFault(pem), undefined);
  assert.equal(
    signingRequestFault(pem.replaceAll("CERTIFICATE REQUEST", "CERTIFICATE")),
    "PEM block type must be CERTIFICATE REQUEST",
  );
  const lines = pem.split("\n");
  const der = Buffer.from(lines.slice(1, -1).join(""), "base64");
  der[22]! ^= 1;
  const fault = (): string | undefined =>
    signingRequestFault([lines[0], der.toString("base64"), lines.at(-1)].join("\n"));
  assert.equal(fault(), "x509: ECDSA verification failure");
  der[81]! ^= 1;
  assert.equal(fault(), "P256 point not on curve");
  der[der.indexOf("2a8648ce3d030107", "hex") + 7]! ^= 1;
  assert.equal(fault(), "x509: unsupported elliptic curve");
});

test("malformed requests are refused with Go's messages", () => {
  const fault = (hex: string): string | undefined =>
    signingRequestFault(
      `-----BEGIN CERTIFICATE REQUEST-----\n${Buffer.from(hex, "hex").toString("base64")}\n-----END CERTIFICATE REQUEST-----`,
    );
  const parameters =
    "{optional:false explicit:false application:false private:false defaultValue:<nil> tag:<nil> stringType:0 timeType:0 set:false omitEmpty:false}";
  for (const [hex, text] of [
    ["", "syntax error: sequence truncated"],
    ["3005", "syntax error: data truncated"],
    ["30", "syntax error: truncated tag or length"],
    ["3080", "syntax error: indefinite length found (not DER)"],
    ["308105", "structure error: non-minimal length"],
    ["3000", "syntax error: sequence truncated"],
    [
      "0401aa",
      `structure error: tags don't match (16 vs {class:0 tag:4 length:1 isCompound:false}) ${parameters} certificateRequest @2`,
    ],
    ["300430020200", "structure error: empty integer"],
    [
      "3005300304010a",
      `structure error: tags don't match (2 vs {class:0 tag:4 length:1 isCompound:false}) ${parameters} int @2`,
    ],
  ])
    assert.equal(fault(hex!), `asn1: ${text}`, hex);
});

test("the requester is the authenticated user", () => {
  const { object, errors } = requests.create(
    body({ username: "root", groups: ["system:masters"] }, { certificate: "eA==" }),
  );
  const { username, groups } = object["spec"] as JsonObject;
  assert.deepEqual([errors, username, groups, statusOf(object)], [[], "ann", ["devs"], {}]);
});

test("usages, signer and lifetime are checked", () => {
  assert.deepEqual(
    requests
      .create(body({ usages: ["any", "any", "fun"], signerName: "x/y/z", expirationSeconds: 10 }))
      .errors.map((error) => error.split(": ").slice(0, 2).join(": ")),
    [
      "spec.usages[2]: Unsupported value",
      "spec.usages[1]: Duplicate value",
      "spec.signerName: Invalid value",
      "spec.expirationSeconds: Invalid value",
    ],
  );
});

test("verdicts come through approval alone, and stay", () => {
  const { object } = requests.create(body());
  const approved = { conditions: [{ type: "Approved", status: "True", reason: "ok" }] };
  assert.deepEqual(requests.update(object, body({}, approved), "status").errors, [
    'status.conditions: Forbidden: updates may not add a condition of type "Approved"',
  ]);
  const { object: done, errors } = requests.update(object, body({}, approved), "approval");
  assert.deepEqual(
    [errors, statusOf(done)["conditions"]],
    [
      [],
      [
        {
          type: "Approved",
          status: "True",
          reason: "ok",
          lastUpdateTime: "2026-01-01T00:00:00Z",
          lastTransitionTime: "2026-01-01T00:00:00Z",
        },
      ],
    ],
  );
  assert.deepEqual(requests.update(done, body(), "approval").errors, [
    'status.conditions: Forbidden: updates may not remove a condition of type "Approved"',
  ]);
  assert.equal(requests.cells(done).at(-1), "Approved");
});
