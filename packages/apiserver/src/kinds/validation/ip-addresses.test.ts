import assert from "node:assert/strict";
import { test } from "node:test";
import {
  cidrErrors,
  cidrWarnings,
  ipErrors,
  ipFamilyOf,
  ipWarnings,
  isStrictSubset,
  legacyIpErrors,
  parseCidrSloppy,
} from "./ip-addresses.ts";

const bodies = (errors: readonly { readonly body: string }[]): string[] =>
  errors.map(({ body }) => body);

test("leading zeros are parsed, reported and refused", () => {
  assert.equal(ipFamilyOf("010.0.0.01"), "IPv4");
  assert.deepEqual(bodies(legacyIpErrors("010.0.0.1", "p")), [
    'Invalid value: "010.0.0.1": must not have leading 0s',
  ]);
  assert.deepEqual(legacyIpErrors("010.0.0.1", "p", ["010.0.0.1"]), []);
  assert.deepEqual(ipWarnings("010.0.0.1", "p"), [
    'p: non-standard IP address "010.0.0.1" is invalid: use "10.0.0.1"',
  ]);
});

test("new fields take canonical addresses only", () => {
  assert.deepEqual(bodies(ipErrors("fd00:0::1", "p")), [
    'Invalid value: "fd00:0::1": must be in canonical form ("fd00::1")',
  ]);
  assert.deepEqual(bodies(ipErrors("::ffff:1.2.3.4", "p")), [
    'Invalid value: "::ffff:1.2.3.4": must not be an IPv4-mapped IPv6 address',
  ]);
  assert.deepEqual(bodies(cidrErrors("FD00::/64", "p")), [
    'Invalid value: "FD00::/64": must be in canonical form ("fd00::/64")',
  ]);
  assert.deepEqual(cidrErrors("10.0.0.0/8", "p"), []);
});

test("a network with host bits is ambiguous", () => {
  assert.deepEqual(cidrWarnings("10.0.0.1/8", "p"), [
    'p: CIDR value "10.0.0.1/8" is ambiguous in this context (should be "10.0.0.0/8" or "10.0.0.1/32"?)',
  ]);
  assert.deepEqual(cidrWarnings("10.0.0.0/8", "p"), []);
});

test("a subset is inside and smaller", () => {
  const [eight, sixteen, other] = ["10.0.0.0/8", "10.1.0.0/16", "11.0.0.0/16"].map((text) =>
    parseCidrSloppy(text)!,
  );
  assert.deepEqual(
    [
      isStrictSubset(sixteen!, eight!),
      isStrictSubset(eight!, eight!),
      isStrictSubset(other!, eight!),
    ],
    [true, false, false],
  );
});
