import assert from "node:assert/strict";
import { test } from "node:test";
import type { ApiRequest, ApiResponse } from "../apimachinery/handler.ts";
import { createLateHandler } from "./late-handler.ts";

const request: ApiRequest = {
  method: "GET",
  path: "/version",
  headers: {},
  body: new Uint8Array(),
};
const answer: ApiResponse = { status: 200, headers: {}, body: new Uint8Array() };

test("early requests wait, later ones do not", async () => {
  const late = createLateHandler();
  const early = late.handler(request);
  late.open(async () => answer);
  assert.equal(await early, answer);
  assert.equal(await late.handler(request), answer);
});

test("requests do not wait for a server that fails to start", async () => {
  const late = createLateHandler();
  const early = late.handler(request);
  late.giveUp();
  assert.equal((await early).status, 503);
});
