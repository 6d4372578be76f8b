// Admission reviews: what one costs the process that answers it.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSystemRuntime } from "homeostat/runtime";
import {
  createAuthority,
  issueServingCertificate,
} from "../../packages/homeostat/src/certificates/index.ts";
import { freePort } from "../../test/fixtures/free-port.ts";
import { cpuSeconds, peakMegabytes, perUnit } from "../measure/process-usage.ts";
import { type WebhookPeer, webhookPeers } from "../peers/webhook-peer.ts";
import { order } from "./objects.ts";
import type { Figures, LibraryRow } from "./row.ts";

/** As many connections as kube-apiserver keeps to a busy webhook. */
const lanes = 16;
const reviews = 40_000;

/** A validating webhook that allows what it is asked. */
export const reviewsRow: LibraryRow = {
  at: "library",
  name: "reviews",
  what: `${reviews} admission reviews of orders, over ${lanes} TLS connections that stay open; a typed webhook checks each and allows it`,
  note: "load from this process, over TLS 1.3 and HTTP/1.1; a tenth of the reviews goes first, unmeasured",
  contenders: webhookPeers.map((peer) => ({
    name: peer.name,
    run: ({ factor }) => measure(peer, Math.round(reviews * factor)),
  })),
};

async function measure(peer: WebhookPeer, count: number): Promise<Figures> {
  const folder = mkdtempSync(join(tmpdir(), "homeostat-bench-webhook-"));
  const port = await freePort();
  const ca = issueInto(folder);
  const webhook = await peer.start({ folder, port });
  const agent = new Agent({ keepAlive: true, maxSockets: lanes, ca });
  try {
    const ask = () => post(agent, port);
    await inLanes(ask, Math.ceil(count / 10));
    const before = { cpu: cpuSeconds([webhook.pid]), at: performance.now() };
    await inLanes(ask, count);
    return {
      "CPU µs per review": perUnit(cpuSeconds([webhook.pid]), before.cpu, count),
      "reviews per s": count / ((performance.now() - before.at) / 1000),
      "peak MB": peakMegabytes([webhook.pid]),
    };
  } finally {
    agent.destroy();
    await webhook.stop();
    rmSync(folder, { recursive: true });
  }
}

function issueInto(folder: string): string {
  const runtime = createSystemRuntime();
  const authority = createAuthority({ runtime });
  const addresses = ["127.0.0.1"];
  const leaf = issueServingCertificate(authority, { runtime, names: ["localhost"], addresses });
  const texts = { "tls.crt": leaf.cert, "tls.key": leaf.key, "ca.crt": authority.cert };
  for (const [name, text] of Object.entries(texts)) writeFileSync(join(folder, name), text);
  return authority.cert;
}

async function inLanes(ask: () => Promise<void>, count: number): Promise<void> {
  let left = count;
  const lane = async (): Promise<void> => {
    while (left-- > 0) await ask();
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

/** As kube-apiserver sends it: the object has its defaults and managed fields. */
const review = Buffer.from(
  JSON.stringify({
    kind: "AdmissionReview",
    apiVersion: "admission.k8s.io/v1",
    request: {
      uid: "0df28fbd-5f5f-11e8-bc74-36e6bb280816",
      kind: { group: "bench.example.com", version: "v1", kind: "Order" },
      resource: { group: "bench.example.com", version: "v1", resource: "orders" },
      requestKind: { group: "bench.example.com", version: "v1", kind: "Order" },
      requestResource: { group: "bench.example.com", version: "v1", resource: "orders" },
      name: "order-000001",
      namespace: "default",
      operation: "CREATE",
      userInfo: { username: "admin", uid: "1", groups: ["system:masters", "system:authenticated"] },
      object: {
        ...order(1),
        metadata: {
          name: "order-000001",
          namespace: "default",
          uid: "7f5a8ab5-4e51-4b8e-9ee0-6e7a2d0a3a55",
          creationTimestamp: "2026-01-01T00:00:00Z",
          generation: 1,
          managedFields: [
            {
              manager: "kubectl",
              operation: "Update",
              apiVersion: "bench.example.com/v1",
              time: "2026-01-01T00:00:00Z",
              fieldsType: "FieldsV1",
              fieldsV1: {
                "f:spec": { ".": {}, "f:table": {}, "f:chef": {}, "f:note": {}, "f:dishes": {} },
              },
            },
          ],
        },
      },
      oldObject: null,
      dryRun: false,
      options: { kind: "CreateOptions", apiVersion: "meta.k8s.io/v1", fieldManager: "kubectl" },
    },
  }),
);

function post(agent: Agent, port: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const headers = { "content-type": "application/json", "content-length": review.length };
  const target = { host: "127.0.0.1", port, path: "/validate?timeout=10s", agent };
  const sent = request({ ...target, method: "POST", headers }, (response) => {
    const chunks: Buffer[] = [];
    response.on("data", (chunk: Buffer) => chunks.push(chunk));
    response.on("end", () => {
      const answer = Buffer.concat(chunks).toString();
      if (answer.includes('"allowed":true')) resolve();
      else reject(new Error(`${response.statusCode}: ${answer}`));
    });
  });
  sent.on("error", reject);
  sent.end(review);
  return promise;
}
