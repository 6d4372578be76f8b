// A member of a ring on a scripted server with other members' Leases, for tests.
import assert from "node:assert/strict";
import { createClient } from "../../client/create-client.ts";
import {
  createScriptedTransport,
  type ScriptedExchange,
} from "../../client/scripted-transport.suite.ts";
import type { Lease } from "../../k8s/coordination/v1/models.ts";
import { createVirtualRuntime } from "../../runtime/virtual-runtime.ts";
import { defaultTimings } from "../election-timings.ts";
import { memberLease } from "./member-lease.ts";
import { RingMember } from "./ring-member.ts";
import { ringSlots } from "./slot-ring.ts";
import type { SlotSet } from "./slot-set.ts";

const ring = "orders";

/** A server of Leases that keeps what is sent. */
export class LeaseServer {
  readonly leases = new Map<string, Lease>();
  /** What admission adds to each Lease. */
  readonly labels: Record<string, string> = {};
  readonly sent: string[] = [];
  /** Leases as they were sent. */
  readonly updates: Lease[] = [];
  isSilent = false;
  /** Methods, and with what they are refused; 0 answers nothing. */
  readonly refused = new Map<string, number>();
  readonly #watches: ScriptedExchange[] = [];
  readonly transport = createScriptedTransport((exchange) => this.#receive(exchange));
  #revision = 10;

  put(name: string, claims: SlotSet, over?: Lease): Lease {
    const own = { name, ring, identity: `id-${name}`, leaseDurationMs: 15_000, claims };
    const made = memberLease({ ...own, slots: ringSlots, isLeaving: false }, over, 0);
    return this.#store({ ...made.spec }, made);
  }

  /** The Lease after another write. */
  newer(lease: Lease): Lease {
    const resourceVersion = String(++this.#revision);
    return { ...lease, metadata: { ...lease.metadata, resourceVersion } };
  }

  /** What a watch shows. */
  tell(type: "ADDED" | "MODIFIED" | "DELETED", object: Lease): void {
    for (const watch of this.#watches) watch.lines({ type, object });
  }

  #store(
    spec: object,
    { name, labels, annotations }: Omit<ReturnType<typeof memberLease>, "spec">,
  ) {
    const resourceVersion = String(++this.#revision);
    const metadata = {
      name,
      namespace: "home",
      uid: `uid-${name}`,
      resourceVersion,
      labels: { ...labels, ...this.labels },
      annotations: { ...annotations, noted: "by admission" },
    };
    const lease = {
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata,
      spec,
    } as unknown as Lease;
    this.leases.set(name, lease);
    return lease;
  }

  #receive(exchange: ScriptedExchange): void {
    const { request, query } = exchange;
    if (query["watch"] === "true") return void this.#watches.push(exchange.head());
    const sent = exchange.body as unknown as Lease & { readonly preconditions?: object };
    const name = request.path.split("?")[0]!.split("/").at(-1)!;
    const about = request.method === "DELETE" ? ` ${JSON.stringify(sent.preconditions)}` : "";
    this.sent.push(`${request.method} ${name}${about}`);
    if (request.method === "PUT") this.updates.push(sent);
    const code = this.isSilent ? 0 : this.refused.get(request.method);
    if (code === 0) return;
    if (code !== undefined) return exchange.refuse(code, reasons[code]!);
    if (request.method === "GET") {
      assert.equal(query["labelSelector"], "homeostat.dev/ring=orders");
      assert.equal(query["resourceVersion"], undefined, "as the server has them now");
      const metadata = { resourceVersion: String(this.#revision) };
      return exchange.answer(200, {
        kind: "LeaseList",
        metadata,
        items: [...this.leases.values()],
      });
    }
    if (request.method === "DELETE") {
      this.leases.delete(name);
      return exchange.answer(200, { kind: "Status", apiVersion: "v1", status: "Success" });
    }
    const { metadata, spec } = sent;
    exchange.answer(200, this.#store(spec, metadata as never));
  }
}

const reasons: Readonly<Record<number, string>> = {
  400: "BadRequest",
  403: "Forbidden",
  404: "NotFound",
  409: "Conflict",
};

/** A member with others' Leases. */
export function arrange(others: Readonly<Record<string, SlotSet>>) {
  const server = new LeaseServer();
  for (const [name, claims] of Object.entries(others)) server.put(name, claims);
  const runtime = createVirtualRuntime();
  let holds = 0;
  runtime.clock.hold = () => {
    holds++;
    return { cancel: () => void holds-- };
  };
  const heard: string[] = [];
  const member = new RingMember({
    client: createClient({ transport: server.transport, runtime }),
    runtime,
    ring,
    namespace: "home",
    name: "orders-me",
    identity: "me",
    timings: defaultTimings,
    joined: () => heard.push("joined"),
    changed: ({ members }) => heard.push(`members ${members.join()}`),
    lost: (why) => heard.push(`lost: ${why}`),
    warn: (message) => heard.push(message),
  });
  const owned = (): number => member.report().slots.owned;
  return { server, runtime, heard, member, owned, holds: () => holds };
}
