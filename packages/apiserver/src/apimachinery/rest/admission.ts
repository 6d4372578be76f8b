// The registry's view of admission: mutating and validating steps that see every write. The server
// fills the lists from its admission plug-ins.
// Upstream: k8s.io/apiserver/pkg/admission.
import type { GroupVersionKind, JsonObject } from "homeostat/api";
import type { AdmissionAudit } from "../audit.ts";
import type { UserInfo } from "../user-info.ts";
import type { ServedResource } from "./served-resource.ts";

/** A write as admission sees it. */
export interface AdmissionRequest {
  readonly operation: "CREATE" | "UPDATE" | "DELETE" | "CONNECT";
  readonly resource: ServedResource;
  readonly subresource: string;
  /** The kind of the request's object, e.g. autoscaling/v1 Scale at a scale endpoint. */
  readonly kind: GroupVersionKind;
  readonly namespace: string;
  /** "" for collections and for a create whose name is not generated yet. */
  readonly name: string;
  /** The name in the path of the request; "" or absent for a POST. */
  readonly requestName?: string;
  /** In the version of the request; mutating steps change it in place. Absent for deletes. */
  readonly object: JsonObject | undefined;
  /** Absent for creates; must not be mutated. */
  readonly old: JsonObject | undefined;
  readonly user: UserInfo;
  readonly dryRun: boolean;
  /** CreateOptions, UpdateOptions or DeleteOptions, as meta/v1 has them; null for connections. */
  readonly options: JsonObject | null;
  /** When the request runs out of time; connections do not. */
  readonly deadlineMs?: number;
  warn(text: string): void;
  /** Absent for a request that is not audited. */
  readonly audit?: AdmissionAudit;
  /** Absent in validating steps. */
  readonly reinvocation?: Reinvocation;
}

/**
 * What the mutating steps of one request share: a step that changes the object may ask for a second
 * pass over all of them. Upstream: pkg/admission/{attributes,reinvocation}.go.
 */
export class Reinvocation {
  /** What a step remembers for the second pass, by the name of its plug-in. */
  readonly memory = new Map<string, unknown>();
  #pass: "first" | "second" = "first";
  #isNeeded = false;

  get pass(): "first" | "second" {
    return this.#pass;
  }

  get isNeeded(): boolean {
    return this.#isNeeded;
  }

  /** Asks for a second pass. There is no third. */
  need(): void {
    this.#isNeeded = true;
  }

  startSecondPass(): void {
    this.#pass = "second";
  }
}

/** One step; throws an ApiStatusError to refuse. */
export type AdmissionStep = (request: AdmissionRequest) => void | Promise<void>;

/** The steps, in order. */
export interface Admission {
  readonly mutating: readonly AdmissionStep[];
  readonly validating: readonly AdmissionStep[];
}

/** Runs the steps in order. */
export async function runAdmission(
  steps: readonly AdmissionStep[],
  request: AdmissionRequest,
): Promise<void> {
  for (const step of steps) {
    // Nearly all steps have nothing to do or to wait for.
    const running = step(request);
    if (running) await running;
  }
}

/** Runs mutating steps in order, and again if one of them asks for it. */
export async function runMutatingAdmission(
  steps: readonly AdmissionStep[],
  request: AdmissionRequest,
): Promise<void> {
  const reinvocation = new Reinvocation();
  const shared = { ...request, reinvocation };
  await runAdmission(steps, shared);
  if (!reinvocation.isNeeded) return;
  reinvocation.startSecondPass();
  await runAdmission(steps, shared);
}
