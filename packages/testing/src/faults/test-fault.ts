// Faults that a test asks for: which requests they hit, how often, and what they do.
import { HomeostatError, type Kind, type Verb } from "homeostat";
import type { RequestTarget } from "./request-target.ts";

/**
 * What becomes of a request. A status code, or `{ code, … }`: it is refused, and nothing is done.
 * lost: it is carried out, and the connection breaks before the answer. timeout: it is carried out,
 * and no answer comes, so that the client gives up when its time is over.
 */
export type RequestFault = number | FaultAnswer | "lost" | "timeout";

/** A refusal. */
export interface FaultAnswer {
  /** From 400 to 599. */
  readonly code: number;
  readonly message?: string;
  /** Also sets the header Retry-After, e.g. with 429. */
  readonly retryAfterSeconds?: number;
}

/** Which requests, beside verb and kind. */
export interface FaultScope {
  readonly name?: string;
  readonly namespace?: string;
  /** For example `"status"`. Default: requests for the objects themselves. */
  readonly subresource?: string;
}

/** A fault that a test has asked for. */
export interface TestFault {
  /** Hits so many requests, and no more. Default: all until `undo`, or the end of the cluster. */
  times(count: number): TestFault;
  /** Lets so many matching requests pass first. */
  after(count: number): TestFault;
  undo(): void;
  /** Requests that it has hit. */
  readonly hits: number;
}

/** Faults of a test cluster. They hit the requests of its controllers, not those of the test. */
export interface TestFaults {
  /**
   * Requests of this verb, or of any for `"*"`, for objects of a kind meet this fault: `own`,
   * `status` and `condition` write with `patch`. @throws ERR_TEST_FAULT
   */
  fail(verb: Verb | "*", kind: Kind, fault: RequestFault, scope?: FaultScope): TestFault;
  /** Undoes all of them. */
  clear(): void;
}

const verbs: readonly string[] = [
  "get",
  "list",
  "watch",
  "create",
  "update",
  "patch",
  "delete",
  "deletecollection",
  "*",
] satisfies readonly (Verb | "*")[];

/** What a test has asked for, as a table that requests are looked up in. */
export class FaultTable implements TestFaults {
  readonly #faults = new Set<PlannedFault>();

  fail(verb: Verb | "*", kind: Kind, fault: RequestFault, scope: FaultScope = {}): TestFault {
    const problem = problemOf(verb, kind, fault);
    if (problem !== undefined) throw faultError(problem);
    const planned = new PlannedFault({ verb, kind, fault, scope }, () =>
      this.#faults.delete(planned),
    );
    this.#faults.add(planned);
    return planned;
  }

  clear(): void {
    this.#faults.clear();
  }

  /** The fault that hits this request; counts it. */
  hit(target: RequestTarget): RequestFault | undefined {
    for (const fault of this.#faults) if (fault.hit(target)) return fault.effect;
    return undefined;
  }

  /** One sentence for each that can still hit. */
  active(): readonly string[] {
    return [...this.#faults].filter((fault) => fault.isActive).map((fault) => fault.describe());
  }
}

interface Planned {
  readonly verb: Verb | "*";
  readonly kind: Kind;
  readonly fault: RequestFault;
  readonly scope: FaultScope;
}

class PlannedFault implements TestFault {
  readonly #plan: Planned;
  readonly undo: () => void;
  #times = Infinity;
  #passing = 0;
  hits = 0;

  constructor(plan: Planned, undo: () => void) {
    this.#plan = plan;
    this.undo = undo;
  }

  times(count: number): TestFault {
    this.#times = toCount("times", count, 1);
    return this;
  }

  after(count: number): TestFault {
    this.#passing = toCount("after", count, 0);
    return this;
  }

  get effect(): RequestFault {
    return this.#plan.fault;
  }

  get isActive(): boolean {
    return this.hits < this.#times;
  }

  hit(target: RequestTarget): boolean {
    if (!this.isActive || !matches(this.#plan, target)) return false;
    if (this.#passing > 0) return (this.#passing--, false);
    this.hits++;
    return true;
  }

  describe(): string {
    const { verb, kind, fault, scope } = this.#plan;
    const { name, subresource } = scope;
    const what = `${kind.kind}${subresource === undefined ? "" : `/${subresource}`}`;
    const does = typeof fault === "object" ? String(fault.code) : String(fault);
    const hits = this.#times === Infinity ? this.hits : `${this.hits} of ${this.#times}`;
    return `${verb} ${what}${name === undefined ? "" : ` ${name}`} fails with ${does} (hit ${hits})`;
  }
}

function matches({ verb, kind, scope }: Planned, target: RequestTarget): boolean {
  return (
    (verb === "*" || verb === target.verb) &&
    kind.apiVersion === target.apiVersion &&
    kind.resource === target.resource &&
    scope.subresource === target.subresource &&
    (scope.name === undefined || scope.name === target.name) &&
    (scope.namespace === undefined || scope.namespace === target.namespace)
  );
}

function problemOf(verb: unknown, kind: unknown, fault: unknown): string | undefined {
  if (!verbs.includes(verb as string))
    return `expected a verb of ${verbs.join(", ")}, got ${JSON.stringify(verb)}`;
  if (typeof (kind as Kind | undefined)?.resource !== "string")
    return "expected a kind, as defineResource() returns it";
  if (fault === "lost" || fault === "timeout") return undefined;
  const code = typeof fault === "object" ? (fault as FaultAnswer | null)?.code : fault;
  if (Number.isInteger(code) && (code as number) >= 400 && (code as number) < 600) return undefined;
  return `expected a status code from 400 to 599, { code }, "lost" or "timeout", got ${JSON.stringify(fault)}`;
}

function toCount(what: string, count: number, least: number): number {
  if (Number.isInteger(count) && count >= least) return count;
  throw faultError(`${what}: expected a whole number from ${least}, got ${JSON.stringify(count)}`);
}

const faultError = (problem: string): HomeostatError =>
  new HomeostatError("ERR_TEST_FAULT", `a fault for a test cluster: ${problem}`, {
    hint: 'for example `cluster.faults.fail("patch", Meal, 409).times(3)`',
  });
