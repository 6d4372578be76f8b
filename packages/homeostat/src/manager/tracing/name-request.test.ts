import assert from "node:assert/strict";
import { test } from "node:test";
import { nameRequest } from "./name-request.ts";

test("a request is named by its resource, without names of objects", () => {
  const names = {
    "/apis/kitchen.example.com/v1/namespaces/a/orders/b/status": "orders/status",
    "/apis/apps/v1/deployments": "deployments",
    "/api/v1/namespaces/a/pods/b": "pods",
    "/api/v1/namespaces/a": "namespaces",
    "/api/v1/namespaces/a/finalize": "namespaces/finalize",
    "/api/v1/nodes/n/status": "nodes/status",
    "/readyz": "",
    "/apis": "",
  };
  for (const [path, name] of Object.entries(names))
    assert.equal(nameRequest({ method: "GET", path }), `GET ${name}`.trim(), path);
});
