import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "homeostat/api";
import { oid, sequence, setOf, tlv, toPem } from "homeostat/certificates";
import { keys } from "../../certificates/signing-request.suite.ts";
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

const pemOf = (der: Uint8Array): string => toPem("CERTIFICATE REQUEST", der);
const integer = (hex: string): Uint8Array => tlv(0x02, Buffer.from(hex, "hex"));
const bits = (...parts: readonly Uint8Array[]): Uint8Array => tlv(0x03, Uint8Array.of(0), ...parts);

interface Parts {
  readonly key?: Uint8Array;
  readonly attributes?: readonly Uint8Array[];
  readonly algorithm?: Uint8Array;
}

/** Why a request of these parts, whose signature is none, is refused. */
const faultOf = ({ key, attributes = [], algorithm }: Parts): string | undefined => {
  const info = sequence(
    integer("00"),
    sequence(),
    key ?? keys.publicKey.export({ type: "spki", format: "der" }),
    tlv(0xa0, ...attributes),
  );
  return signingRequestFault(
    pemOf(sequence(info, algorithm ?? sequence(oid("1.2.840.10045.4.3.2")), bits())),
  );
};

test("keys are read as Go reads them", () => {
  const rsaKey = (content: Uint8Array): Uint8Array =>
    sequence(sequence(oid("1.2.840.113549.1.1.1"), tlv(0x05)), bits(content));
  const modulus = `00${"ff".repeat(128)}`;
  const rsaSigned = sequence(oid("1.2.840.113549.1.1.11"));
  const rows: readonly (readonly [content: Uint8Array, fault: string])[] = [
    [integer("01"), "x509: invalid RSA public key"],
    [sequence(oid("1.2.3")), "x509: invalid RSA modulus"],
    [sequence(integer("0001"), integer("03")), "x509: invalid RSA modulus"],
    [sequence(integer(modulus)), "x509: invalid RSA public exponent"],
    [sequence(integer(modulus), integer("01".repeat(9))), "x509: invalid RSA public exponent"],
    [sequence(integer("ff"), integer("03")), "x509: RSA modulus is not a positive number"],
    [
      sequence(integer(modulus), integer("00")),
      "x509: RSA public exponent is not a positive number",
    ],
    [
      sequence(integer("03"), integer("03")),
      "crypto/rsa: 2-bit keys are insecure (see https://go.dev/pkg/crypto/rsa#hdr-Minimum_key_size)",
    ],
    [
      sequence(integer(`${modulus.slice(0, -1)}e`), integer("03")),
      "crypto/rsa: public modulus is even",
    ],
    [
      sequence(integer(modulus), integer("01")),
      "crypto/rsa: public exponent too small or negative",
    ],
    [sequence(integer(modulus), integer("04")), "crypto/rsa: public exponent is even"],
    [sequence(integer(modulus), integer("0080000001")), "crypto/rsa: public exponent too large"],
    [sequence(integer(modulus), integer("03")), "crypto/rsa: verification error"],
  ];
  for (const [content, fault] of rows)
    assert.equal(faultOf({ key: rsaKey(content), algorithm: rsaSigned }), fault);
  const signed = (name: string): string | undefined => faultOf({ algorithm: sequence(oid(name)) });
  assert.equal(signed("1.2.3"), "x509: cannot verify signature: algorithm unimplemented");
  assert.equal(
    signed("1.2.840.113549.1.1.4"),
    "x509: cannot verify signature: insecure algorithm MD5-RSA",
  );
  assert.equal(
    signed("1.2.840.113549.1.1.11"),
    "x509: signature algorithm specifies an RSA public key, but have public key of type *ecdsa.PublicKey",
  );
});

test("requested extensions are read as Go reads them", () => {
  const text = (tag: number, value: string): Uint8Array => tlv(tag, Buffer.from(value, "latin1"));
  const extension = (...names: readonly Uint8Array[]): Uint8Array =>
    sequence(oid("2.5.29.17"), tlv(0x04, sequence(...names)));
  const wanted = (...extensions: readonly Uint8Array[]): Uint8Array =>
    sequence(oid("1.2.840.113549.1.9.14"), setOf(sequence(...extensions)));
  const verified = "x509: ECDSA verification failure";
  const rows: readonly (readonly [attribute: Uint8Array, fault: string | RegExp])[] = [
    [sequence(oid("1.2.840.113549.1.9.14")), verified],
    [wanted(extension(text(0x82, "a.b"), text(0x86, "spiffe://a/b"))), verified],
    [
      wanted(extension(), extension()),
      "x509: certificate request contains duplicate requested extensions",
    ],
    [wanted(sequence(oid("1.2.3"))), "asn1: syntax error: sequence truncated"],
    [
      wanted(sequence(oid("1.2.3"), tlv(0x01, Uint8Array.of(1)))),
      "asn1: syntax error: invalid boolean",
    ],
    [wanted(sequence(oid("1.2.3"), tlv(0x05))), /^asn1: structure error: tags don't match \(4 vs/],
    [wanted(sequence(oid("2.5.29.17"), tlv(0x04))), "x509: invalid subject alternative names"],
    [wanted(extension(Uint8Array.of(0x82))), "x509: invalid subject alternative name"],
    [wanted(extension(text(0x81, "\u00e9@b"))), "x509: SAN rfc822Name is malformed"],
    [wanted(extension(text(0x82, "\u00e9"))), "x509: SAN dNSName is malformed"],
    [wanted(extension(text(0x87, "abc"))), "x509: cannot parse IP address of length 3"],
    [
      wanted(extension(text(0x86, ":x"))),
      'x509: cannot parse URI ":x": parse ":x": missing protocol scheme',
    ],
    [
      wanted(extension(text(0x86, "http://a..b"))),
      'x509: cannot parse URI "http://a..b": invalid domain',
    ],
  ];
  for (const [attribute, expected] of rows) {
    const fault = faultOf({ attributes: [attribute] })!;
    if (typeof expected === "string") assert.equal(fault, expected);
    else assert.match(fault, expected);
  }
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
