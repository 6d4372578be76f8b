// Where webhooks listen and are called, and which Secret has their certificates.
import assert from "node:assert/strict";
import { test } from "node:test";
import { annotationsOf, secretOf, writesBundles } from "./pki/secret-of.ts";
import { PlaceOfWebhooks } from "./place-of-webhooks.ts";
import type { WebhooksOptions } from "./webhooks-options.ts";

const service = { name: "hooks", namespace: "kitchen" };
const placeOf = (options: Partial<WebhooksOptions>) =>
  new PlaceOfWebhooks({ serve: [], ...options } as WebhooksOptions, "cook");

test("behind a Service, webhooks listen on all addresses, by the names of the Service", () => {
  const { host, port, names, configuration, urlOf } = placeOf({ service });
  assert.deepEqual([host, port, configuration], [undefined, 9443, "cook"]);
  assert.deepEqual(names, [
    "hooks.kitchen.svc",
    "hooks.kitchen.svc.cluster.local",
    "hooks.kitchen",
    "hooks",
  ]);
  assert.equal(urlOf.call(placeOf({ service }), "/a"), undefined);
  const own = placeOf({ service, host: "10.0.0.1", port: 7, configuration: "own" });
  assert.deepEqual([own.host, own.port, own.configuration], ["10.0.0.1", 7, "own"]);
});

test("by a URL of this host, nobody else reaches them", () => {
  for (const [url, host] of [
    ["https://localhost", "localhost"],
    ["https://127.0.0.1", "127.0.0.1"],
    ["https://127.1.2.3", "127.1.2.3"],
    ["https://[::1]", "::1"],
    ["https://10.0.0.1", undefined],
    ["https://127.example.com", undefined],
    ["https://hooks.example.com", undefined],
  ] as const)
    assert.equal(placeOf({ url }).host, host, url);
  assert.equal(placeOf({ url: "https://127.0.0.1", host: "0.0.0.0" }).host, "0.0.0.0");
  assert.deepEqual(placeOf({ url: "https://[::1]:7" }).names, ["::1"]);
});

test("the port of a URL is that of the server, and the other way round", () => {
  const named = placeOf({ url: "https://127.0.0.1:7443/hooks/" });
  assert.equal(named.port, 7443);
  named.opened(8443);
  assert.equal(named.urlOf("/a"), "https://127.0.0.1:7443/hooks/a");
  assert.equal(placeOf({ url: "https://127.0.0.1:7443", port: 0 }).port, 0);
  const free = placeOf({ url: "https://127.0.0.1" });
  assert.equal(free.port, 9443);
  free.opened(8443);
  assert.equal(free.urlOf("/a"), "https://127.0.0.1:8443/a");
});

test("the Secret is named after the operator, beside the Service, unless it is told", () => {
  const of = (options: Partial<WebhooksOptions>) =>
    secretOf({ serve: [], ...options } as WebhooksOptions, {
      operator: "cook",
      namespace: "default",
    });
  const own = { name: "cook-webhooks", isOwn: true };
  assert.deepEqual(of({ service }), { ...own, namespace: "kitchen" });
  assert.deepEqual(of({ url: "https://a" }), { ...own, namespace: "default" });
  const certificates = { from: "secret", secret: "s", namespace: "n" } as const;
  assert.deepEqual(of({ service, certificates }), { name: "s", namespace: "n", isOwn: true });
  assert.equal(of({ certificates: { from: "files", cert: "c", key: "k" } }), undefined);
});

test("cert-manager writes the Secret and the caBundles; files may have either", () => {
  const certificates = { from: "cert-manager", certificate: "n/c", secret: "s" } as const;
  const managed = { serve: [], service, certificates };
  const names = { operator: "cook", namespace: "default" };
  assert.deepEqual(secretOf(managed, names), { name: "s", namespace: "n", isOwn: false });
  assert.equal(writesBundles(managed), false);
  assert.deepEqual(annotationsOf(managed), { "cert-manager.io/inject-ca-from": "n/c" });
  const files = { from: "files", cert: "c", key: "k" } as const;
  const of = (more: object) => ({ serve: [], service, certificates: { ...files, ...more } });
  assert.deepEqual([writesBundles(of({})), writesBundles(of({ ca: "a" }))], [false, true]);
  assert.deepEqual(annotationsOf(of({})), {});
  assert.deepEqual(annotationsOf(of({ injectCaFrom: "n/x" })), {
    "cert-manager.io/inject-ca-from": "n/x",
  });
  assert.deepEqual(
    [writesBundles({ serve: [], service }), annotationsOf({ serve: [], service })],
    [true, {}],
  );
});
