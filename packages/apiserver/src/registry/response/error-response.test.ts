import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiStatusError, type Status } from "homeostat/api";
import { isStream, wholeBody } from "../../apimachinery/handler.ts";
import { errorResponse } from "./error-response.ts";

const notFound: Status = {
  kind: "Status",
  apiVersion: "v1",
  metadata: {},
  status: "Failure",
  message: "no",
  code: 404,
};

test("a code that HTTP cannot carry is answered as upstream answers a panic", async () => {
  for (const code of [99, 1000, 99_999]) {
    const error = new ApiStatusError({ ...notFound, code });
    const { status, body } = await errorResponse({} as never, {} as never, error);
    assert.ok(!isStream(body));
    assert.deepEqual(
      [status, new TextDecoder().decode(wholeBody(body))],
      [500, "This request caused apiserver to panic. Look in the logs for details.\n"],
    );
  }
});
