// Versions of one kind that lose fields, at the installation of definitions and at a start.
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import * as z from "zod";
import { defineResource } from "../../api/resource/define-resource.ts";
import { createClient } from "../../client/create-client.ts";
import { createScriptedTransport } from "../../client/scripted-transport.suite.ts";
import { type ControllerDefinition, defineController } from "../../controller/define-controller.ts";
import { defineConversion } from "../../webhook/conversion/define-conversion.ts";
import { installDefinitions } from "../install-definitions.ts";
import { logLossyVersions } from "./log-lossy-versions.ts";

const version = (name: string, spec: z.ZodObject, kind: string) =>
  defineResource({ group: "laws.example.com", version: name, kind, spec });

const pair = (kind: string) => {
  const one = version("v1", z.object({ place: z.string() }), kind);
  const two = version("v2", z.object({ places: z.array(z.string()) }), kind);
  return [two, one] as const;
};

async function warningsOf(
  t: TestContext,
  resources: Parameters<typeof installDefinitions>[1],
  strategy: string,
): Promise<readonly string[]> {
  const transport = createScriptedTransport((exchange) => {
    const { request, query } = exchange;
    if (query["watch"] === "true") return exchange.head();
    const object = {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "x", resourceVersion: "1" },
      spec: { conversion: { strategy } },
      status: { conditions: [{ type: "Established", status: "True" }] },
    };
    const list = { kind: "List", metadata: { resourceVersion: "1" }, items: [object] };
    exchange.answer(200, request.method === "GET" ? list : object);
  });
  const warnings: string[] = [];
  t.mock.method(process, "emitWarning", (text: string) => void warnings.push(text));
  await installDefinitions(createClient({ transport }), resources);
  t.mock.restoreAll();
  return warnings;
}

test("versions that differ and are not converted are named once", async (t) => {
  const [line, ...others] = await warningsOf(t, pair("Errand"), "None");
  assert.match(
    line!,
    /^Errand: its versions v2 and v1 differ in spec\.places, spec\.places\[\*\], spec\.place and nothing converts them.*defineConversion/,
  );
  assert.deepEqual(others, []);
});

test("versions that a webhook or this program converts, or that are alike, are not", async (t) => {
  assert.deepEqual(await warningsOf(t, pair("Errand"), "Webhook"), []);
  const [two, one] = pair("Errand");
  const same = () => ({ spec: {} }) as never;
  defineConversion(one, two, { up: same, down: same });
  assert.deepEqual(await warningsOf(t, [two, one], "None"), []);
  const alike = z.object({ place: z.string() });
  const stricter = z.object({ place: z.string().min(1) });
  const fit = [version("v2", stricter, "Fit"), version("v1", alike, "Fit")];
  assert.deepEqual(await warningsOf(t, fit, "None"), []);
});

test("a manager warns of the versions that its controllers work with", () => {
  const lines: string[] = [];
  const say = (text: string): void => void lines.push(text);
  const log = { debug: say, info: say, warn: say, error: say };
  const controllers = pair("Errand").map((kind) => defineController(kind, { reconcile() {} }));
  logLossyVersions(controllers as unknown as readonly ControllerDefinition[], log);
  assert.match(lines.join("\n"), /^Errand: its versions v2 and v1 differ/);
});
