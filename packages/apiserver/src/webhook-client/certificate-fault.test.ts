// The texts are those that a Go client gave for certificates made in the same way.
import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { test } from "node:test";
import { createSystemRuntime } from "homeostat/runtime";
import { createAuthority, issueServingCertificate } from "homeostat/certificates";
import {
  authoritiesFault,
  certificateFault,
  type RefusedCertificate,
} from "./certificate-fault.ts";

const runtime = createSystemRuntime();
const authority = createAuthority({ runtime });
const issue = (names: readonly string[], addresses: readonly string[]): X509Certificate =>
  new X509Certificate(issueServingCertificate(authority, { runtime, names, addresses }).cert);
const leaf = issue(["a.example"], ["10.0.0.1", "::1"]);
const nameOf = (pem: string): string => /CN=(.*)/.exec(new X509Certificate(pem).subject)![1]!;

const fault = (given: Partial<RefusedCertificate>): string | undefined =>
  certificateFault({
    code: "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
    certificate: leaf,
    host: "10.0.0.1",
    authorities: undefined,
    nowMs: runtime.clock.now(),
    ...given,
  });

test("time counts first, with the times", () => {
  const second = (text: string): string =>
    `${new Date(Date.parse(text)).toISOString().slice(0, 19)}Z`;
  const early = Date.parse("2020-01-01T00:00:00Z");
  const late = Date.parse("2099-01-01T00:00:00Z");
  const what = "certificate has expired or is not yet valid: current time";
  assert.equal(
    fault({ nowMs: early, host: "else" }),
    `${what} 2020-01-01T00:00:00Z is before ${second(leaf.validFrom)}`,
  );
  assert.equal(
    fault({ nowMs: late }),
    `${what} 2099-01-01T00:00:00Z is after ${second(leaf.validTo)}`,
  );
});

test("then the name", () => {
  assert.equal(
    fault({ host: "127.0.0.1" }),
    "certificate is valid for 10.0.0.1, ::1, not 127.0.0.1",
  );
  assert.equal(fault({ host: "b.example" }), "certificate is valid for a.example, not b.example");
  assert.equal(
    fault({ certificate: issue(["a.example"], []), host: "127.0.0.1" }),
    "cannot validate certificate for 127.0.0.1 because it doesn't contain any IP SANs",
  );
  assert.equal(
    fault({ certificate: issue([], ["10.0.0.1"]), host: "b.example" }),
    "certificate is not valid for any names, but wanted to match b.example",
  );
});

test("then the authority, with the one that could be meant", () => {
  const unknown = "certificate signed by unknown authority";
  assert.equal(fault({}), unknown);
  assert.equal(fault({ authorities: authority.cert }), unknown);
  const namesake = createAuthority({ runtime }).cert;
  assert.equal(nameOf(namesake), nameOf(authority.cert));
  const why =
    /BEGIN RSA/.test(authority.key) || leaf.publicKey.asymmetricKeyType === "rsa"
      ? "crypto/rsa: verification error"
      : "x509: ECDSA verification failure";
  assert.equal(
    fault({ authorities: namesake }),
    `${unknown} (possibly because of "${why}" while trying to verify candidate authority certificate "${nameOf(namesake)}")`,
  );
  assert.equal(
    fault({ code: "INVALID_PURPOSE" }),
    "certificate specifies an incompatible key usage",
  );
});

test("a bundle needs a certificate", () => {
  assert.equal(authoritiesFault(authority.cert), undefined);
  const fails = "unable to load root certificates: ";
  assert.equal(authoritiesFault("x"), `${fails}unable to parse bytes as PEM block`);
  assert.equal(
    authoritiesFault("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"),
    `${fails}failed to parse certificate: x509: malformed certificate`,
  );
});
