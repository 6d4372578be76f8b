import assert from "node:assert/strict";
import { test } from "node:test";
import { createTestServer, widgetsPath } from "./testdata/test-server.ts";

test("/metrics counts requests by what they were, and the objects that are there", async () => {
  const { core } = await createTestServer({});
  const ask = async (method: string, path: string, body = ""): Promise<string> => {
    const headers = { authorization: "Bearer secret", "content-type": "application/json" };
    const answer = await core.handler({
      method,
      path,
      headers,
      body: new TextEncoder().encode(body),
    });
    return new TextDecoder().decode(answer.body as Uint8Array);
  };
  const widget = JSON.stringify({
    apiVersion: "example.com/v1",
    kind: "Widget",
    metadata: { name: "w" },
  });
  await ask("GET", `${widgetsPath}/missing`);
  await ask("POST", `${widgetsPath}?dryRun=All`, widget);
  await ask("POST", widgetsPath, widget);
  await ask("GET", "/apis/nobody.example.com/v1/things");
  const lines = (await ask("GET", "/metrics")).split("\n");
  const requests = lines.filter(
    (line) => line.startsWith("apiserver_request_total") && line.includes("widgets"),
  );
  const counted = (code: number, dryRun: string, verb: string): string =>
    `apiserver_request_total{code="${code}",component="apiserver",dry_run="${dryRun}",group="example.com",resource="widgets",scope="resource",subresource="",verb="${verb}",version="v1"} 1`;
  assert.deepEqual(requests, [
    counted(201, "", "POST"),
    counted(201, "All", "POST"),
    counted(404, "", "GET"),
  ]);
  assert.ok(lines.includes('apiserver_resource_objects{group="example.com",resource="widgets"} 1'));
  assert.ok(lines.includes("# TYPE apiserver_resource_objects gauge"));
  assert.ok(lines.some((line) => /^process_start_time_seconds \d/.test(line)));
  assert.equal(await ask("DELETE", "/metrics"), "metrics reset\n");
  assert.ok(!(await ask("GET", "/metrics")).includes('widgets",scope'));
});
