// What admission is to the registry: two lists of steps that see every write. The chain fills them;
// the registry only knows where they stand.
// Upstream: k8s.io/apiserver/pkg/admission.
import type { JsonObject } from "homeostat/api";
import type { UserInfo } from "../handler.ts";
import type { ServedResource } from "./served-resource.ts";

/** A write as admission sees it. */
export interface AdmissionRequest {
  readonly operation: "CREATE" | "UPDATE" | "DELETE" | "CONNECT";
  readonly resource: ServedResource;
  readonly subresource: string;
  readonly namespace: string;
  /** "" for a create whose name is yet to be generated, and for collections. */
  readonly name: string;
  /** In the version of the request; mutating steps change it in place. Absent for deletes. */
  readonly object: JsonObject | undefined;
  /** Absent for creates; nobody may mutate it. */
  readonly old: JsonObject | undefined;
  readonly user: UserInfo;
  readonly dryRun: boolean;
  /** CreateOptions, UpdateOptions, PatchOptions or DeleteOptions, as meta/v1 has them. */
  readonly options: JsonObject;
  warn(text: string): void;
}

/** One step; throws an ApiStatusError to refuse. */
export type AdmissionStep = (request: AdmissionRequest) => void | Promise<void>;

/** The steps, in order. */
export interface Admission {
  readonly mutating: readonly AdmissionStep[];
  readonly validating: readonly AdmissionStep[];
}

/** Runs steps one after the other; costs nothing where there are none. */
export async function runAdmission(
  steps: readonly AdmissionStep[],
  request: AdmissionRequest,
): Promise<void> {
  for (const step of steps) await step(request);
}
