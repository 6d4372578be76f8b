import assert from "node:assert/strict";
import { test } from "node:test";
import { publish } from "./root-ca.ts";

test("publishes the certificate with its description, repairs both, and leaves valid ones alone", () => {
  const made = publish(undefined, "CERT")!;
  assert.deepEqual(made.data, { "ca.crt": "CERT" });
  assert.match(
    made.annotations["kubernetes.io/description"] ?? "",
    /^Contains a CA bundle .* Kubernetes clusters\.$/,
  );
  assert.equal(publish({ data: made.data, metadata: made }, "CERT"), undefined);
  assert.equal(
    publish(
      { ...made, metadata: { annotations: { "kubernetes.io/description": "mine" } } },
      "CERT",
    ),
    undefined,
  );
  assert.deepEqual(
    publish(
      { metadata: { annotations: { mine: "1" } }, data: { "ca.crt": "CERT", more: "x" } },
      "CERT",
    )?.data,
    { "ca.crt": "CERT" },
  );
  assert.equal(
    publish({ metadata: { annotations: { mine: "1" } }, data: { "ca.crt": "CERT" } }, "CERT")
      ?.annotations["mine"],
    "1",
  );
});
