import assert from "node:assert/strict";
import { test } from "node:test";
import { Order } from "./admission/review.suite.ts";
import { defineValidatingWebhook } from "./admission/define-webhook.ts";
import { webhooksFaults } from "./check-webhooks.ts";

const rules = defineValidatingWebhook(Order, { create() {} });
const convert = defineValidatingWebhook(Order, { path: "/convert", create() {} });
const service = { name: "hooks", namespace: "kitchen" };

test("options of webhooks that can work are accepted", () => {
  for (const certificates of [
    undefined,
    { from: "secret", overlap: "1h" },
    { from: "files", cert: "a", key: "b", ca: "c" },
    { from: "cert-manager", certificate: "a/b", secret: "c" },
  ])
    assert.deepEqual(webhooksFaults({ serve: [rules], service, certificates }), []);
  assert.deepEqual(webhooksFaults({ serve: [rules], url: "https://127.0.0.1:9443", port: 0 }), []);
  assert.deepEqual(webhooksFaults({ serve: [rules], service, port: 65_535, drainMs: 600_000 }), []);
  assert.deepEqual(webhooksFaults(undefined), []);
});

test("all wrong options of webhooks are named", () => {
  for (const [options, problem] of [
    [5, /webhooks is 5, expected/],
    [{ serve: [], service }, /webhooks\.serve is \[\]/],
    [{ serve: [Order], service }, /webhooks\.serve\[0\] is .*, expected what define/],
    [
      { serve: [rules, rules], service },
      /two webhooks have the path \/validate-.*two webhooks are called/s,
    ],
    [{ serve: [rules] }, /expected either `service` or `url`/],
    [{ serve: [rules], service, url: "https://a" }, /expected either `service` or `url`/],
    [{ serve: [rules], url: "http://a" }, /webhooks\.url is 'http:\/\/a'/],
    [{ serve: [rules], url: "https://a/?b" }, /webhooks\.url is /],
    [{ serve: [rules], url: "https://a/#b" }, /webhooks\.url is /],
    [{ serve: [rules], url: "https://ann@a" }, /webhooks\.url is /],
    [{ serve: [rules], url: "a" }, /webhooks\.url is 'a'/],
    [{ serve: [convert], service }, /serve: validate\..* has the path of conversions/],
    [{ serve: [rules], service, drainMs: 600_001 }, /drainMs is 600001, expected 0 to 600000/],
    [
      { serve: [rules], service: { ...service, port: 65_536 } },
      /service\.port is 65536, expected 0 to 65535/,
    ],
    [
      { serve: [rules], service, certificates: { from: "secret", overlap: "0s" } },
      /certificates\.overlap is '0s', expected a duration/,
    ],
    [
      { serve: [rules], service: { name: "a" } },
      /webhooks\.service is .*expected { name, namespace }/,
    ],
    [{ serve: [rules], service, port: 70_000 }, /webhooks\.port is 70000, expected 0 to 65535/],
    [{ serve: [rules], service, ports: 1 }, /webhooks\.ports: unknown option/],
    [{ serve: [rules], service, register: "no" }, /webhooks\.register is 'no'/],
    [{ serve: [rules], service, certificates: { from: "x" } }, /certificates is .*"cert-manager"/],
    [
      { serve: [rules], service, certificates: { from: "files", cert: "a", overlap: "1h" } },
      /certificates\.overlap: unknown option.*certificates\.key is undefined/s,
    ],
    [
      { serve: [rules], service, certificates: { from: "secret", overlap: "soon" } },
      /certificates\.overlap is 'soon', expected a duration/,
    ],
  ] as const)
    assert.match(webhooksFaults(options).join("\n"), problem);
});
