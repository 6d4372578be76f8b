// Answers the plain requests of a connection without Node's HTTP server, which costs twice what a
// review does. At the first request that is not plain, Node's server takes the connection over.
import type { TLSSocket } from "node:tls";
import type { Timer } from "../../runtime/clock.ts";
import type { Hook, HookResponse } from "../exchange.ts";
import { type AnswerEffects, answerHook, timeoutOf } from "./answer-hook.ts";
import type { Connections } from "./connections.ts";
import { type PlainHead, readHead } from "./read-head.ts";

/** What connections share. */
export interface PlainServing {
  readonly paths: ReadonlyMap<string, Hook>;
  readonly state: { readonly isDraining: boolean };
  readonly effects: AnswerEffects;
  readonly connections: Connections;
  readonly limits: { readonly idleMs: number; readonly requestMs: number };
  /** Gives a connection to Node's server, with what has been read of it. */
  readonly toNode: (socket: TLSSocket) => void;
}

/** Larger bodies are Node's: chunks are joined here. */
const longestBody = 256 * 1024;

/** Serves one connection. */
export class PlainConnection {
  readonly #socket: TLSSocket;
  readonly #serving: PlainServing;
  /** What no answer has been given to. */
  #data: Buffer | undefined;
  /** Of the request at the start of `#data`, once it is known. */
  #head: PlainHead | undefined;
  #isBusy = false;
  /** Runs while a request has come in part. */
  #late: Timer | undefined;

  constructor(socket: TLSSocket, serving: PlainServing) {
    this.#socket = socket;
    this.#serving = serving;
    socket.on("error", ignored);
    socket.on("data", this.#take);
    socket.on("end", this.#ended);
    socket.once("close", this.#stopTimer);
    socket.setTimeout(serving.limits.idleMs);
    socket.on("timeout", this.#idle);
  }

  readonly #take = (chunk: Buffer): void => {
    this.#data = this.#data === undefined ? chunk : Buffer.concat([this.#data, chunk]);
    if (this.#isBusy) this.#socket.pause();
    else this.#next();
  };

  readonly #ended = (): void => void (this.#isBusy || this.#socket.destroy());

  readonly #idle = (): void => void (this.#isBusy || this.#socket.destroy());

  readonly #stopTimer = (): void => {
    this.#late?.cancel();
    this.#late = undefined;
  };

  /** Answers the request at the start of the data, if it is whole. */
  #next(): void {
    const data = this.#data!;
    const { paths, effects, limits, connections } = this.#serving;
    const head = (this.#head ??= readHead(data));
    const hook = head && paths.get(head.path);
    const most = Math.min(hook?.bodyLimit ?? 0, longestBody);
    if (!head || !hook || head.bodyLength > most) return this.#handOver(data);
    const end = head.bodyStart + head.bodyLength;
    if (data.length < end) {
      const { clock } = effects.runtime;
      this.#late ??= clock.timer(limits.requestMs, () => this.#socket.destroy());
      return;
    }
    this.#stopTimer();
    this.#head = undefined;
    this.#data = data.length === end ? undefined : data.subarray(end);
    this.#isBusy = true;
    connections.began(this.#socket);
    const { contentType, bodyStart, query } = head;
    const request = {
      contentType,
      body: data.subarray(bodyStart, end),
      timeoutMs: timeoutOf(query),
    };
    answerHook(hook, request, effects, (answer) => this.#reply(answer));
  }

  #reply(answer: HookResponse): void {
    const { state, connections, effects } = this.#serving;
    const socket = this.#socket;
    this.#isBusy = false;
    if (socket.destroyed) return connections.ended(socket);
    const isLast = state.isDraining;
    const text = format(answer, isLast, effects.runtime.clock.now());
    const done = (): void => connections.ended(socket);
    if (isLast) return void socket.end(text, done);
    socket.write(text, done);
    if (this.#data === undefined) return;
    socket.resume();
    queueMicrotask(() => this.#isBusy || this.#data === undefined || this.#next());
  }

  #handOver(data: Buffer): void {
    const socket = this.#socket;
    this.#stopTimer();
    socket.off("data", this.#take).off("end", this.#ended).off("timeout", this.#idle);
    socket.off("error", ignored).off("close", this.#stopTimer);
    socket.setTimeout(0);
    this.#data = undefined;
    socket.unshift(data);
    this.#serving.toNode(socket);
  }
}

const ignored = (): void => {};

/** Statuses of hooks. */
const reasons: Readonly<Record<number, string>> = {
  200: "OK",
  400: "Bad Request",
  500: "Internal Server Error",
};

function format({ status, contentType, body }: HookResponse, isLast: boolean, now: number): Buffer {
  const head =
    `HTTP/1.1 ${status} ${reasons[status] ?? ""}\r\n` +
    `Content-Type: ${contentType}\r\n` +
    `Content-Length: ${Buffer.byteLength(body)}\r\n` +
    `Date: ${new Date(now).toUTCString()}\r\n` +
    (isLast ? "Connection: close\r\n\r\n" : "\r\n");
  return Buffer.from(head + body);
}
