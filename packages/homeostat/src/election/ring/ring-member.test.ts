// A member on a scripted server with two other members' Leases: what it sends, and what becomes of
// its gate and its fence.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createClient } from "../../client/create-client.ts";
import {
  createScriptedTransport,
  type ScriptedExchange,
} from "../../client/scripted-transport.suite.ts";
import type { Lease } from "../../k8s/coordination/v1/models.ts";
import { createVirtualRuntime } from "../../runtime/virtual-runtime.ts";
import { defaultTimings } from "../election-timings.ts";
import { memberLease, memberRecord } from "./member-lease.ts";
import { RingMember } from "./ring-member.ts";
import { ringSlots } from "./slot-ring.ts";
import { allSlots, noSlots, type SlotSet, toSlotSet } from "./slot-set.ts";

const ring = "orders";

/** A server of Leases that keeps what is sent. */
class LeaseServer {
  readonly leases = new Map<string, Lease>();
  readonly sent: string[] = [];
  isSilent = false;
  refusesLists = false;
  readonly transport = createScriptedTransport((exchange) => this.#receive(exchange));
  #revision = 10;

  put(name: string, claims: SlotSet, over?: Lease): Lease {
    const own = { name, ring, identity: `id-${name}`, leaseDurationMs: 15_000, claims };
    const made = memberLease({ ...own, slots: ringSlots, isLeaving: false }, over, 0);
    return this.#store({ ...made.spec }, made);
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
      labels,
      annotations,
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
    if (query["watch"] === "true") return void exchange.head();
    const sent = exchange.body as unknown as Lease & { readonly preconditions?: object };
    const name = request.path.split("?")[0]!.split("/").at(-1)!;
    const about = request.method === "DELETE" ? ` ${JSON.stringify(sent.preconditions)}` : "";
    this.sent.push(`${request.method} ${name}${about}`);
    if (this.isSilent) return;
    if (this.refusesLists && request.method === "GET") return exchange.refuse(403, "Forbidden");
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

function arrange(others: Readonly<Record<string, SlotSet>>) {
  const server = new LeaseServer();
  for (const [name, claims] of Object.entries(others)) server.put(name, claims);
  const runtime = createVirtualRuntime();
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
  return { server, runtime, heard, member, owned };
}

describe("a member of a ring", () => {
  it("names what it wants in a Lease, lists again, and holds it", async () => {
    const { server, runtime, heard, member, owned } = arrange({});
    member.start();
    await runtime.advance(10);
    assert.deepEqual(server.sent, ["GET leases", "POST leases", "GET leases"]);
    assert.equal(owned(), ringSlots);
    const record = memberRecord(server.leases.get("orders-me")!, ringSlots);
    assert.deepEqual(
      [record.identity, record.claims, record.durationMs],
      ["me", allSlots(ringSlots), 15_000],
    );
    assert.deepEqual(heard, ["joined", "members me"]);
    assert.equal(await member.resign(), true);
    assert.equal(server.leases.size, 0);
  });

  it("deletes the Lease of a silent one as it was seen, and then takes its slots", async () => {
    const { server, runtime, member, owned } = arrange({ other: allSlots(ringSlots) });
    member.start();
    await runtime.advance(14_000);
    assert.equal(owned(), 0);
    await runtime.advance(1500);
    assert.deepEqual(
      server.sent.filter((line) => line.startsWith("DELETE")),
      ['DELETE other {"uid":"uid-other","resourceVersion":"11"}'],
    );
    assert.equal(owned(), ringSlots);
  });

  it("takes a Lease that says nothing of slots for one with all", async () => {
    const { server, runtime, member, owned } = arrange({ other: noSlots });
    const other = server.leases.get("other")!;
    const metadata = { ...other.metadata, annotations: {} };
    server.leases.set("other", { ...other, metadata });
    member.start();
    await runtime.advance(1000);
    assert.equal(owned(), 0);
  });

  it("has lost its right and its slots when it cannot renew its Lease", async () => {
    const { server, runtime, heard, member } = arrange({});
    member.start();
    await runtime.advance(1000);
    assert.equal(member.fence.refusal("PUT", "/x"), undefined);
    assert.equal(member.gate.begin(7), true);
    server.isSilent = true;
    await runtime.advance(9500);
    assert.match(heard.at(-1)!, /^lost: its Lease was not renewed within 10 s/);
    assert.match(
      String(member.fence.refusal("PUT", "/x")),
      /PUT \/x: not sent, because this process does not share the objects by the Lease home\/orders-me/,
    );
    assert.equal(member.gate.begin(8), false);
    assert.equal(member.report().role, "ended");
  });

  it("leaves slots in which a reconcile does not end, and its Lease, to expire", async () => {
    const { server, runtime, member } = arrange({});
    member.start();
    await runtime.advance(1000);
    member.gate.begin(7);
    member.leave();
    await runtime.advance(100);
    const { claims, isLeaving } = memberRecord(server.leases.get("orders-me")!, ringSlots);
    assert.deepEqual([claims, isLeaving], [toSlotSet([7], ringSlots), true]);
    assert.equal(await member.resign(), false);
    assert.equal(server.leases.size, 1);
  });

  it("names the right that is missing in one line", async () => {
    const { server, runtime, heard, member } = arrange({});
    server.refusesLists = true;
    member.start();
    await runtime.advance(13_000);
    const [line, ...others] = heard;
    assert.match(
      line!,
      /^the ring orders of Leases cannot be used, so that this replica does not share the objects: this user may not list leases/,
    );
    assert.deepEqual(others, []);
    server.refusesLists = false;
    await runtime.advance(3000);
    assert.deepEqual(heard.slice(1), ["joined", "members me"]);
    await member.resign();
  });

  it("leaves its Lease to expire when the server has not answered before a stop is over", async () => {
    const { server, runtime, member } = arrange({});
    member.start();
    await runtime.advance(1000);
    server.isSilent = true;
    const over = new AbortController();
    const resigned = member.resign(over.signal);
    await runtime.advance(100);
    over.abort();
    assert.equal(await resigned, false);
    assert.match(String(member.fence.refusal("PUT", "/x")), /it has stopped/);
  });
});
