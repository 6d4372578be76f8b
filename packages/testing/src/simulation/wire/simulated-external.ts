// A process's way to an external system, of which the scenario has a fake. Calls are cut and lost
// like requests to the API server; each is asynchronous, whatever the fake does.
import type { Lanes } from "../run/lanes.ts";
import type { ForgedAnswer, Interference, Sent } from "./interference.ts";
import { resetError } from "./reset-error.ts";

/** What a way needs. */
export interface ExternalWay {
  /** Of the external system: `bucket`. */
  readonly name: string;
  readonly fake: object;
  /** For the trace. */
  readonly process: string;
  readonly lanes: Lanes;
  readonly interference: Interference;
  /** Runs code as a part of the process. */
  within(code: () => void): void;
  /** False once the process has been killed. */
  isAlive(): boolean;
}

type Method = (...args: unknown[]) => unknown;

/** The fake as a process sees it. */
export function reachExternal(way: ExternalWay): object {
  return new Proxy(way.fake, {
    get(fake, member) {
      const value = Reflect.get(fake, member) as unknown;
      if (typeof value !== "function" || typeof member === "symbol") return value;
      return (...args: unknown[]) =>
        new Promise((resolve, reject) => {
          const perform = () => Reflect.apply(value as Method, fake, args) as unknown;
          new ExternalCall(way, { method: member, perform, resolve, reject }).begin();
        });
    },
  });
}

interface Call {
  readonly method: string;
  perform(): unknown;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

class ExternalCall {
  readonly #way: ExternalWay;
  readonly #call: Call;
  readonly #sent: Sent;

  constructor(way: ExternalWay, call: Call) {
    this.#way = way;
    this.#call = call;
    const { name } = way;
    const info = { ...nothing, verb: "call", resource: name, name: call.method } as const;
    this.#sent = { info, isWrite: true, body: undefined };
  }

  begin(): void {
    const { lanes, process } = this.#way;
    lanes.add(this, { what: this.#what, process, run: () => void this.#decide() });
  }

  get #what(): string {
    return `call ${this.#way.name}.${this.#call.method}`;
  }

  async #decide(): Promise<void> {
    if (!this.#way.isAlive()) return;
    const fate = this.#way.interference.request(this.#sent);
    if (fate === "cut") return this.#hears("breaks off", () => this.#call.reject(resetError()));
    if (typeof fate === "object" && "status" in fate) return this.#refuse(fate);
    if (typeof fate === "object") await fate.released;
    const outcome = await settled(() => this.#call.perform());
    const heard = this.#way.interference.answer(this.#sent, 200, none);
    if (heard === "swallow") return;
    if (heard === "cut") return this.#hears("breaks off", () => this.#call.reject(resetError()));
    this.#hears("answers", () => {
      if ("error" in outcome) this.#call.reject(outcome.error);
      else this.#call.resolve(outcome.value);
    });
  }

  #refuse({ status }: ForgedAnswer): void {
    const error = new Error(`${this.#what}: the external system answered ${status}`);
    this.#hears(`answers ${status}`, () => this.#call.reject(Object.assign(error, { status })));
  }

  #hears(what: string, run: () => void): void {
    const { lanes, process, isAlive, within } = this.#way;
    const heard = (): void => {
      if (isAlive()) within(run);
    };
    if (isAlive()) lanes.add(this, { what: `${this.#what} ${what}`, process, run: heard });
  }
}

const none = new Uint8Array();

const nothing = {
  group: "",
  version: "",
  subresource: "",
  namespace: "",
  isDryRun: false,
};

type Settled = { readonly value: unknown } | { readonly error: unknown };

async function settled(perform: () => unknown): Promise<Settled> {
  try {
    return { value: await perform() };
  } catch (error) {
    return { error };
  }
}
