import assert from "node:assert/strict";
import { it } from "node:test";
import { ConfigMap, Pod, Secret } from "../../k8s/core/v1/index.ts";
import { Lease } from "../../k8s/coordination/v1/index.ts";
import {
  defineMutatingWebhook,
  defineValidatingWebhook,
  type WebhookOptions,
} from "../admission/define-webhook.ts";
import { lockWarnings } from "./name-locks.ts";

const secrets = (options: WebhookOptions = {}) =>
  defineValidatingWebhook(Secret, { create() {}, ...options });

it("webhooks that can keep their own operator from starting are named, with the remedy", () => {
  const [line, ...others] = lockWarnings([secrets({ name: "secrets.example.com" })]);
  assert.match(
    line!,
    /^webhook secrets\.example\.com is asked about the Secret of the certificates, .* matchConditions or a namespaceSelector, or set failurePolicy "Ignore"$/,
  );
  assert.deepEqual(others, []);
  const leases = defineMutatingWebhook(Lease, { mutate() {} });
  const pods = defineValidatingWebhook(Pod, { create() {} });
  assert.match(
    lockWarnings([leases, pods]).join("\n"),
    /Lease of the election.*\n.*operator's Pod/,
  );
  const some = secrets({ delete() {} } as WebhookOptions);
  assert.equal(lockWarnings([some]).length, 1, "it writes, too");
  const many = defineValidatingWebhook(Secret, { create() {}, resources: ["secrets", "pods"] });
  assert.match(lockWarnings([many]).join(), /the certificates, the operator's Pod, and fails/);
  const all = defineValidatingWebhook(ConfigMap, { create() {}, resources: ["*"] });
  assert.match(lockWarnings([all]).join(), /the certificates, the operator's Pod, and fails/);
});

it("those that cannot are not", () => {
  const matchConditions = [{ name: "others", expression: "true" }];
  const matchLabels = { a: "b" };
  const remedied = [
    secrets({ failurePolicy: "Ignore" }),
    secrets({ matchConditions }),
    secrets({ namespaceSelector: { matchLabels } }),
    secrets({ objectSelector: { matchLabels } }),
    defineValidatingWebhook(Secret, { delete() {} }),
    defineValidatingWebhook(ConfigMap, { create() {} }),
    defineValidatingWebhook(Pod, { connect() {}, resources: ["pods/exec"] }),
  ];
  assert.deepEqual(lockWarnings(remedied), []);
  assert.equal(lockWarnings([secrets({ objectSelector: {} })]).length, 1);
});
