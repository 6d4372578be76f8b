// Commits a deed on the connection of a process, and keeps the books of every process.
import type { RequestInfo } from "../wire/read-request.ts";
import { describeTarget } from "../wire/read-request.ts";
import { describeEvent, readEvent } from "../wire/read-event.ts";
import type {
  AnswerFate,
  EventFate,
  ForgedAnswer,
  Interference,
  RequestFate,
  Sent,
} from "../wire/interference.ts";
import { isReport, type Ledger } from "../run/ledger.ts";
import type { Agenda } from "./agenda.ts";
import type { RequestDeed, WriteDeed } from "./deed.ts";

/** What a deed needs of the world. */
export interface Accomplices {
  now(): number;
  /** Kills the process; another one starts after a while. */
  crash(): void;
  /** Kills the process for good: another one is there already. */
  killForGood(): void;
  /** Starts another process beside this one; resolves when it has worked for a while. */
  rival(): Promise<void>;
  /** Resolves after `lateMs`. */
  late(): Promise<void>;
  setClockBy(ms: number): void;
  /** Kills the process; the next one sees everything as it was at this revision, for a while. */
  travelBackTo(resourceVersion: string): void;
}

const hourMs = 3_600_000;

/** The connection of one process. */
export class Interfering implements Interference {
  readonly #process: string;
  readonly #ledger: Ledger;
  readonly #agenda: Agenda;
  readonly #accomplices: Accomplices;
  /** All events wait for this. */
  readonly #isLate: Promise<void> | undefined;
  readonly #since: bigint;
  #isOnTime = false;
  /** The write that is carried out as the last deed of its process. */
  #last: { readonly sent: Sent; readonly deed: WriteDeed } | undefined;
  #seenRevision = "0";

  constructor(options: {
    readonly process: string;
    readonly ledger: Ledger;
    readonly agenda: Agenda;
    readonly isLate?: Promise<void> | undefined;
    /** Of older revisions nothing is counted: they were there before. */
    readonly since: string;
    readonly accomplices: Accomplices;
  }) {
    this.#isLate = options.isLate;
    this.#since = BigInt(options.since);
    this.#process = options.process;
    this.#ledger = options.ledger;
    this.#agenda = options.agenda;
    this.#accomplices = options.accomplices;
  }

  request(sent: Sent): RequestFate {
    const { info } = sent;
    this.#ledger.sending(sent);
    if (info.verb === "watch" || isReport(info)) return "send";
    const moment = { what: `${info.verb} ${describeTarget(info)}`, verb: info.verb };
    const onRequest = this.#agenda.due("request", moment);
    const onWrite = sent.isWrite ? this.#agenda.due("write", moment) : undefined;
    if (onRequest !== undefined) return refusals[onRequest](info);
    switch (onWrite) {
      case undefined:
        return "send";
      case "conflict":
        return canConflict(info) ? conflict(info) : "send";
      case "two-leaders":
        this.#last = { sent, deed: onWrite };
        return { released: this.#accomplices.rival() };
      case "clock-forward":
      case "clock-back":
        this.#accomplices.setClockBy(onWrite === "clock-forward" ? hourMs : -hourMs);
        return "send";
      case "crash":
      case "lose-answer":
        this.#last = { sent, deed: onWrite };
        return "send";
    }
  }

  answer(sent: Sent, status: number, body: Uint8Array): AnswerFate {
    if (sent.isWrite) {
      const at = this.#accomplices.now();
      this.#ledger.add(sent, { process: this.#process, at, status, body });
    }
    if (sent !== this.#last?.sent) return "deliver";
    const { deed } = this.#last;
    if (deed === "lose-answer") return "cut";
    if (deed === "crash") this.#accomplices.crash();
    else this.#accomplices.killForGood();
    return "swallow";
  }

  event({ info }: Sent, frame: Uint8Array): EventFate {
    const head = readEvent(frame);
    if (head.type === "BOOKMARK" || head.type === "ERROR" || isReport(info)) return "deliver";
    this.#ledger.saw(head.resourceVersion);
    const what = `${info.resource} ${describeEvent(head)}`;
    const before = this.#seenRevision;
    const revision = BigInt(head.resourceVersion || 0);
    if (revision > BigInt(before)) this.#seenRevision = head.resourceVersion;
    if (this.#isLate && !this.#isOnTime) {
      void this.#isLate.then(() => (this.#isOnTime = true));
      return { until: this.#isLate, then: "deliver" };
    }
    if (revision <= this.#since) return "deliver";
    // Before the first event there is nothing to go back to.
    const verb = before === "0" ? "first" : head.type;
    const due = this.#agenda.due("event", { what, verb });
    switch (due) {
      case undefined:
        return "deliver";
      case "close":
        return "end";
      case "twice":
        return "twice";
      case "late":
        return { until: this.#accomplices.late(), then: "deliver" };
      case "unseen":
        return { until: this.#accomplices.late(), then: "expire" };
      case "time-travel":
        this.#accomplices.travelBackTo(before);
        return "deliver";
    }
  }
}

const canConflict = ({ verb }: RequestInfo): boolean => verb === "update" || verb === "patch";

const refusals: Readonly<Record<RequestDeed, (info: RequestInfo) => RequestFate>> = {
  cut: () => "cut",
  "error-500": () => refusal(500, "InternalError", "Internal error occurred: simulated"),
  "error-503": () => refusal(503, "ServiceUnavailable", "apiserver is shutting down"),
  "error-429": () => ({
    ...refusal(429, "TooManyRequests", "too many requests, please try again later"),
    headers: { "content-type": "application/json", "retry-after": "1" },
  }),
};

/** Source: k8s.io/apiserver/pkg/registry/generic/registry, OptimisticLockErrorMsg. */
const conflict = ({ resource, name }: RequestInfo): ForgedAnswer =>
  refusal(
    409,
    "Conflict",
    `Operation cannot be fulfilled on ${resource} "${name}": the object has been modified; please apply your changes to the latest version and try again`,
  );

const refusal = (code: number, reason: string, message: string): ForgedAnswer => ({
  status: code,
  headers: { "content-type": "application/json" },
  body: Buffer.from(
    JSON.stringify({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message,
      reason,
      code,
    }),
  ),
});
