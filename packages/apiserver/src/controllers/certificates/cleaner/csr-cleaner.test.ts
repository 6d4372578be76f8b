import assert from "node:assert/strict";
import { test } from "node:test";
import { createVirtualRuntime } from "homeostat/runtime";
import { createAuthority, issueClientCertificate } from "homeostat/certificates";
import type { CertificateSigningRequest } from "homeostat/k8s/certificates/v1";
import { isStale } from "./csr-cleaner.ts";

const now = Date.parse("2026-01-02T12:00:00Z");
const hoursAgo = (hours: number): string => new Date(now - hours * 3_600_000).toISOString();
const request = (status: object, created = 1): CertificateSigningRequest =>
  ({
    metadata: { name: "r", creationTimestamp: hoursAgo(created) },
    spec: {},
    status,
  }) as unknown as CertificateSigningRequest;
const decided = (type: string, hours: number, certificate?: string): CertificateSigningRequest =>
  request(
    {
      conditions: [{ type, status: "True", lastUpdateTime: hoursAgo(hours) }],
      ...(certificate ? { certificate } : {}),
    },
    hours,
  );

test("pending requests are kept for a day, decided ones for an hour", () => {
  assert.deepEqual([isStale(request({}, 23), now), isStale(request({}, 25), now)], [false, true]);
  for (const type of ["Denied", "Failed"])
    assert.deepEqual(
      [isStale(decided(type, 0.9), now), isStale(decided(type, 1.1), now)],
      [false, true],
      type,
    );
  assert.deepEqual(
    [isStale(decided("Approved", 23), now), isStale(decided("Approved", 25), now)],
    [false, true],
  );
  assert.deepEqual(
    [
      isStale(decided("Approved", 0.9, "Cg=="), now),
      isStale(decided("Approved", 1.1, "Cg=="), now),
    ],
    [false, true],
  );
});

test("a request is deleted when its certificate expires", () => {
  const runtime = createVirtualRuntime({ startMs: now - 2 * 365 * 86_400_000 });
  const { cert } = issueClientCertificate(createAuthority({ runtime }), { runtime, user: "ann" });
  assert.equal(isStale(decided("Approved", 0.5, Buffer.from(cert).toString("base64")), now), true);
});
