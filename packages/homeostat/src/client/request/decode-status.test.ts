// Refusals that are no Status: what else than an API server says, told apart and explained.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isNotFound, isUnauthorized } from "../../api/status.ts";
import { toStatusError } from "./decode-status.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const refused = (path: string, code: number, text: string): ReturnType<typeof toStatusError> =>
  toStatusError({ method: "GET", path }, code, bytes(text));

describe("toStatusError", () => {
  for (const [path, resource] of [
    ["/apis/kitchen.example.com/v1/namespaces/home/orders/o1", "orders.kitchen.example.com/v1"],
    ["/apis/kitchen.example.com/v1/orders?limit=500", "orders.kitchen.example.com/v1"],
    ["/api/v1/widgets", "widgets/v1"],
  ] as const) {
    it(`says that ${resource} is not served`, () => {
      const error = refused(path, 404, "404 page not found\n");
      assert.equal(isNotFound(error), true);
      assert.equal(
        error.message,
        `GET ${path}: the server answered 404 without a Status: 404 page not found; it does not serve ${resource}: install the definition first (installDefinitions(), or kubectl apply of the CustomResourceDefinition)`,
      );
    });
  }

  it("gives no advice for other paths and codes", () => {
    assert.equal(
      refused("/apis/kitchen.example.com/v1", 404, "404 page not found").message,
      "GET /apis/kitchen.example.com/v1: the server answered 404 without a Status: 404 page not found",
    );
    assert.equal(
      refused("/api/v1/pods", 502, "").message,
      "GET /api/v1/pods: the server answered 502 without a Status",
    );
  });

  it("names the server where it is known, as `request` does", () => {
    const access = { server: "https://h:6443", origin: "f" };
    const { message, request } = toStatusError(
      { method: "GET", path: "/x" },
      502,
      bytes(""),
      access,
    );
    assert.equal(request, "GET /x at https://h:6443");
    assert.equal(message, `${request}: the server answered 502 without a Status`);
  });

  it("recognizes plain HTTP sent to a TLS server", () => {
    assert.match(
      refused("/api/v1/pods", 400, "Client sent an HTTP request to an HTTPS server.\n").message,
      /; the server speaks TLS: write https:\/\/ in its address$/,
    );
  });

  it("keeps the server's Status and names the user whose credentials were refused", () => {
    const status = {
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message: "Unauthorized",
      reason: "Unauthorized",
      code: 401,
    };
    const error = toStatusError(
      { method: "GET", path: "/api" },
      401,
      bytes(JSON.stringify(status)),
      { server: "https://h:6443", origin: 'context "dev" of f' },
    );
    assert.deepEqual(error.status, status);
    assert.equal(isUnauthorized(error), true);
    assert.equal(
      error.message,
      'Unauthorized (https://h:6443 does not take the credentials of context "dev" of f: renew them, or correct the user there)',
    );
  });
});
