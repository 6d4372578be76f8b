// Spans of a manager: of reconciles, requests and reviews, and the links from a write to the
// reconcile that it woke.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { it } from "node:test";
import { defineController } from "homeostat";
import { defineValidatingWebhook } from "homeostat/webhook";
import { freePort } from "../fixtures/free-port.ts";
import { Box, describeLaws, Part } from "../fixtures/laws.ts";
import { type RecordedSpan, recordSpans } from "../fixtures/recording-tracer.ts";
import { until } from "../fixtures/until.ts";

const page = readFileSync(new URL("../../docs/reference/tracing.md", import.meta.url), "utf8");
const kinds = { server: 1, client: 2, consumer: 4 };
const errorStatus = 2;

/** Makes parts, which the other finishes: each wakes the other. */
const boxes = defineController(Box, {
  name: "boxes",
  owns: [Part],
  async reconcile({ object, own, status, client }) {
    if (object.metadata.name === "broken") throw new Error("no glue");
    const { name } = object.metadata;
    const parts = await own(Part, [Part(`${name}-a`, { of: name })]);
    await client.get(Part, "absent").catch(() => undefined);
    status({ count: parts.filter((part) => part.status.made).length });
  },
});
const parts = defineController(Part, {
  name: "parts",
  async reconcile({ status }) {
    status({ made: true });
  },
});

describeLaws("tracing", ({ client: open, run }) => {
  it("has a span for each reconcile and its requests, linked to who woke it", async () => {
    const { api, spans } = recordSpans();
    await run(
      [boxes, parts],
      async (client, manager) => {
        await client.create(Box, Box("one", {}));
        await client.create(Box, Box("broken", {}));
        await until(async () => (await client.get(Box, "one")).status.count === 1);
        await until(() => manager.isIdle());
        const named = (name: string, object: string): readonly RecordedSpan[] =>
          spans.filter(
            (span) => span.name === name && span.attributes["homeostat.object.name"] === object,
          );
        await until(() => named("reconcile boxes", "one").every(({ hasEnded }) => hasEnded));
        const [first, ...later] = named("reconcile boxes", "one");
        const [made] = named("reconcile parts", "one-a");
        assert.ok(first && made && later.length > 0);
        assert.equal(first.kind, kinds.consumer);
        assert.deepEqual(first.links, [], "a person woke it");
        assert.deepEqual(made.links, [first.id], "the box made the part");
        assert.ok(
          later.some(({ links }) => links.includes(made.id)),
          "the part woke the box",
        );
        assert.ok([first, made, ...later].every(({ parent }) => parent === undefined));
        assert.equal(first.attributes["homeostat.result"], "success");
        assert.equal(first.attributes["k8s.namespace.name"], client.namespace);
        const wrote = first.attributes["homeostat.wrote"] as readonly string[];
        const woken = made.attributes["homeostat.woken_by"] as readonly string[];
        assert.ok(
          woken.every((revision) => wrote.includes(revision)),
          "other processes can join them by revision",
        );

        const sent = spans.filter(({ parent }) => parent === first.id);
        assert.ok(sent.every(({ kind, hasEnded }) => kind === kinds.client && hasEnded));
        const names = sent.map(({ name }) => name);
        assert.ok(names.includes("PATCH parts") && names.includes("GET parts"), names.join());
        assert.ok(names.includes("PATCH boxes/status"), names.join());
        const absent = sent.find(({ name }) => name === "GET parts")!;
        assert.equal(absent.attributes["http.response.status_code"], 404);
        assert.equal(absent.status.code, errorStatus);
        assert.ok(!spans.some(({ attributes }) => /watch=/.test(String(attributes["url.path"]))));

        const broken = await until(() => named("reconcile boxes", "broken")[2]);
        assert.equal(broken.attributes["homeostat.attempt"], 3);
        const [failed] = named("reconcile boxes", "broken");
        assert.deepEqual(failed?.status, { code: errorStatus, message: "no glue" });
        for (const { attributes } of spans)
          for (const name of Object.keys(attributes))
            assert.ok(page.includes(`\`${name}\``), `${name} is not documented`);
      },
      { operator: "traced", tracing: { api } },
    );
  });

  it("has a span for each review of a webhook, above those of the webhook's code", async () => {
    const { api, spans } = recordSpans();
    const client = await open();
    const rules = defineValidatingWebhook(Box, {
      create: async () => {
        await client.find(Part, "absent");
        api.trace.getTracer("mine").startSpan("look up").end();
      },
    });
    await run(
      [parts],
      async (own) => {
        await own.create(Box, Box("one", {}));
        const review = spans.find(({ name }) => name.startsWith("review "));
        assert.equal(review?.name, "review /validate-laws-example-com-v1-box");
        assert.equal(review.kind, kinds.server);
        assert.equal(review.attributes["http.response.status_code"], 200);
        assert.ok(review.hasEnded);
        assert.equal(spans.find(({ name }) => name === "look up")?.parent, review.id);
        const requests = spans.filter(({ kind }) => kind === kinds.client);
        assert.ok(
          requests.every(({ parent }) => parent !== review.id),
          "the client of the webhook's code is not the manager's",
        );
      },
      {
        operator: "traced-webhooks",
        tracing: { api },
        webhooks: { serve: [rules], url: `https://127.0.0.1:${await freePort()}` },
      },
    );
  });
});
