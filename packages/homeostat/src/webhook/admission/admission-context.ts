// What user code is given with a request, and what it says beside its decision.
import type { AdmissionRequest as WireRequest } from "../../k8s/admission/v1/models.ts";
import type { UserInfo } from "../../k8s/authentication/v1/models.ts";

/** What is done to the object. */
export type Operation = "CREATE" | "UPDATE" | "DELETE" | "CONNECT";

/** The request as the API server describes it, with its names. */
export interface AdmissionRequest extends WireRequest {
  readonly uid: string;
  readonly operation: Operation;
  readonly userInfo: UserInfo;
}

/** A value that user code may change. */
export type Draft<T> = T extends string | number | boolean | bigint | null | undefined
  ? T
  : { -readonly [P in keyof T]: Draft<T[P]> };

/**
 * An object as a client sends it: the server has not filled in its metadata yet, and a name may be
 * left to it.
 */
export type Submitted<O> = {
  readonly [P in keyof O as P extends "metadata" | "status" ? never : P]: O[P];
} & {
  readonly metadata: O extends { readonly metadata?: infer M }
    ? Partial<NonNullable<M>> & { readonly generateName?: string }
    : never;
} & (O extends { readonly status?: infer S } ? { readonly status?: S } : unknown);

/** Beside the object: the request, and what to say to the client and to the audit log. */
export interface AdmissionContext {
  /** Who does what to which object, also whether it is a dry run. */
  readonly request: AdmissionRequest;
  /** Warns the client; kubectl prints it. */
  warn(message: string): void;
  /** Adds an annotation to the audit event of the request. */
  annotate(key: string, value: string): void;
  /** Aborts when the API server no longer waits for the answer. */
  readonly signal: AbortSignal;
}

/** The context of one review, and what user code has said through it. */
export class ReviewContext implements AdmissionContext {
  readonly request: AdmissionRequest;
  readonly warnings: string[] = [];
  readonly auditAnnotations: Record<string, string> = {};
  #late: AbortController | undefined;
  #isLate = false;

  constructor(request: AdmissionRequest) {
    this.request = request;
  }

  readonly warn = (message: string): void => void this.warnings.push(String(message));

  readonly annotate = (key: string, value: string): void => {
    this.auditAnnotations[key] = String(value);
  };

  /** Made when it is read: most functions need none. */
  get signal(): AbortSignal {
    this.#late ??= new AbortController();
    if (this.#isLate) this.#late.abort();
    return this.#late.signal;
  }

  abort(): void {
    this.#isLate = true;
    this.#late?.abort();
  }
}
