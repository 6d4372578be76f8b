// A server of one Lease for tests: it keeps the Lease, its watches, and a record of all requests.
import type { Lease } from "../k8s/coordination/v1/models.ts";
import {
  createScriptedTransport,
  type ScriptedExchange,
  type ScriptedTransport,
} from "../client/scripted-transport.suite.ts";

/** The server. */
export interface LeaseServer {
  readonly transport: ScriptedTransport;
  lease: Lease | undefined;
  /** Answers no request from now on, or again; those that waited are answered. */
  isSilent: boolean;
  /** Watches hear of no change. */
  isBlind: boolean;
  /** Refuses watches with 403. */
  refusesWatches: boolean;
  /** Methods that are answered with 403. */
  readonly refused: Set<string>;
  /** `GET`, `POST`, `PUT` and `WATCH` since the last call. */
  requests(): readonly string[];
  /** Another client writes the Lease, or deletes it. */
  set(spec: Lease["spec"] | undefined): void;
  /** Breaks all watches. */
  breakWatches(): void;
}

export function createLeaseServer(): LeaseServer {
  return new Server();
}

class Server implements LeaseServer {
  readonly transport = createScriptedTransport((exchange) => this.#receive(exchange));
  lease: Lease | undefined;
  isBlind = false;
  refusesWatches = false;
  readonly refused = new Set<string>();
  #isSilent = false;
  #requests: string[] = [];
  #waiting: ScriptedExchange[] = [];
  #watches: ScriptedExchange[] = [];
  #revision = 10;
  #made = 0;

  get isSilent(): boolean {
    return this.#isSilent;
  }

  set isSilent(is: boolean) {
    this.#isSilent = is;
    if (!is) for (const exchange of this.#waiting.splice(0)) this.#answer(exchange);
  }

  requests(): readonly string[] {
    return this.#requests.splice(0);
  }

  set(spec: Lease["spec"] | undefined): void {
    if (spec) this.#store({ ...this.#base(), spec });
    else this.#delete();
  }

  breakWatches(): void {
    for (const watch of this.#watches.splice(0)) watch.fail(new Error("the connection broke"));
  }

  #receive(exchange: ScriptedExchange): void {
    const { request, query } = exchange;
    this.#requests.push(query["watch"] === "true" ? "WATCH" : request.method);
    if (this.#isSilent) this.#waiting.push(exchange);
    else this.#answer(exchange);
  }

  #answer(exchange: ScriptedExchange): void {
    const { request, query } = exchange;
    if (exchange.aborted) return;
    if (query["watch"] === "true") return this.#watch(exchange);
    if (this.refused.has(request.method)) return exchange.refuse(403, "Forbidden");
    const sent = exchange.body as unknown as Lease;
    if (request.method === "POST") {
      if (this.lease) return exchange.refuse(409, "AlreadyExists");
      return exchange.answer(201, this.#store({ ...this.#base(), spec: sent.spec }));
    }
    if (!this.lease) return exchange.refuse(404, "NotFound");
    if (request.method === "GET") return exchange.answer(200, this.lease);
    if (sent.metadata.resourceVersion !== this.lease.metadata.resourceVersion)
      return exchange.refuse(409, "Conflict");
    exchange.answer(200, this.#store({ ...this.lease, spec: sent.spec }));
  }

  #watch(exchange: ScriptedExchange): void {
    if (this.refusesWatches) return exchange.refuse(403, "Forbidden");
    this.#watches.push(exchange);
    exchange.head();
    if (this.lease) exchange.lines({ type: "ADDED", object: this.lease });
  }

  #base(): Lease {
    if (this.lease) return this.lease;
    const metadata = { name: "op", namespace: "home", uid: `u${++this.#made}` };
    return {
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata,
      spec: {},
    } as unknown as Lease;
  }

  #store(lease: Lease): Lease {
    const isNew = this.lease === undefined;
    const metadata = { ...lease.metadata, resourceVersion: String(++this.#revision) };
    this.lease = { ...lease, metadata };
    this.#tell(isNew ? "ADDED" : "MODIFIED", this.lease);
    return this.lease;
  }

  #delete(): void {
    if (this.lease) this.#tell("DELETED", this.lease);
    this.lease = undefined;
  }

  #tell(type: string, object: Lease): void {
    if (!this.isBlind) for (const watch of this.#watches) watch.lines({ type, object });
  }
}
