// What a run does to an operator: one deed at one moment of its first process. Plain data, so that
// a failing run can be kept and repeated.

/** Deeds at the n-th write of the operator, from 1. */
export type WriteDeed =
  /** The write is carried out, its answer is lost, and the process is killed and started again. */
  | "crash"
  /** The write is carried out, and the connection breaks before its answer. */
  | "lose-answer"
  /** The write is refused with 409, as after somebody else's. */
  | "conflict"
  /**
   * The write is held up while another process of the operator starts and works; then it is carried
   * out, and its process is killed.
   */
  | "two-leaders"
  /** The wall clock jumps by an hour before the write is sent. */
  | "clock-forward"
  | "clock-back";

/** Deeds at the n-th request of the operator that is no watch, from 1. */
export type RequestDeed = "error-500" | "error-429" | "error-503" | "cut";

/** Deeds at the n-th event that a watch delivers to the operator, bookmarks left out, from 1. */
export type EventDeed =
  /** The watch ends in place of the event. */
  | "close"
  /** The event and all later ones of its watch come some seconds late. */
  | "late"
  /** The event and later ones are never seen: the watch expires some seconds later. */
  | "unseen"
  /** The event comes twice. */
  | "twice"
  /**
   * The process is killed; the next one reads everything as it was before the event, and hears of
   * what came after it some seconds late.
   */
  | "time-travel";

/** One deed and its moment. */
export type Deed =
  | { readonly at: "write"; readonly number: number; readonly do: WriteDeed }
  | { readonly at: "request"; readonly number: number; readonly do: RequestDeed }
  | { readonly at: "event"; readonly number: number; readonly do: EventDeed };

/** How long what is late is late, and how long a process is down, in virtual ms. */
export const lateMs = 5_000;
export const downMs = 1_000;

const writeDeeds: Readonly<Record<WriteDeed, (write: string) => string>> = {
  crash: (write) => `kill the operator after ${write}, before it hears the answer; start it again`,
  "lose-answer": (write) => `cut the connection after ${write}, before the answer`,
  conflict: (write) => `answer ${write} with 409 Conflict`,
  "two-leaders": (write) =>
    `hold up ${write}, start the operator a second time, let that work, then carry the write out and kill the first`,
  "clock-forward": (write) => `set the operator's clock an hour forward before ${write}`,
  "clock-back": (write) => `set the operator's clock an hour back before ${write}`,
};

const requestDeeds: Readonly<Record<RequestDeed, (request: string) => string>> = {
  "error-500": (request) => `answer ${request} with 500`,
  "error-429": (request) => `answer ${request} with 429, Retry-After 1`,
  "error-503": (request) => `answer ${request} with 503`,
  cut: (request) => `cut the connection before ${request} reaches the server`,
};

const eventDeeds: Readonly<Record<EventDeed, (event: string) => string>> = {
  close: (event) => `end the watch in place of ${event}`,
  late: (event) => `deliver ${event} and what follows ${lateMs / 1000} s late`,
  unseen: (event) =>
    `hold back ${event} and what follows, and let the watch expire after ${lateMs / 1000} s`,
  twice: (event) => `deliver ${event} twice`,
  "time-travel": (event) =>
    `kill the operator at ${event}; the next one sees everything as it was before, for ${lateMs / 1000} s`,
};

/** One line for people; `what` is the write, request or event: `write 3 (create configmaps a)`. */
export function describeDeed(deed: Deed, what: string): string {
  switch (deed.at) {
    case "write":
      return writeDeeds[deed.do](what);
    case "request":
      return requestDeeds[deed.do](what);
    case "event":
      return eventDeeds[deed.do](what);
  }
}
