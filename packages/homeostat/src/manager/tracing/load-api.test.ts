import assert from "node:assert/strict";
import { test } from "node:test";
import { loadApi } from "./load-api.ts";

test("an API that is not installed is named, with what to do", async () => {
  await assert.rejects(loadApi("@opentelemetry/absent"), {
    code: "ERR_TRACING_API",
    message: /tracing needs the package @opentelemetry\/absent: /,
    hint: "npm install @opentelemetry/absent, or leave `tracing` out",
  });
});
