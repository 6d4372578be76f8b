// The registry's view of admission: mutating and validating steps that see every write. The server
// fills the lists from its admission plug-ins.
// Upstream: k8s.io/apiserver/pkg/admission.
import type { JsonObject } from "homeostat/api";
import type { UserInfo } from "../user-info.ts";
import type { ServedResource } from "./served-resource.ts";

/** A write as admission sees it. */
export interface AdmissionRequest {
  readonly operation: "CREATE" | "UPDATE" | "DELETE" | "CONNECT";
  readonly resource: ServedResource;
  readonly subresource: string;
  readonly namespace: string;
  /** "" for collections and for a create whose name is not generated yet. */
  readonly name: string;
  /** The name in the path of the request; "" for a POST. */
  readonly requestName: string;
  /** In the version of the request; mutating steps change it in place. Absent for deletes. */
  readonly object: JsonObject | undefined;
  /** Absent for creates; must not be mutated. */
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

/** Runs the steps in order. */
export async function runAdmission(
  steps: readonly AdmissionStep[],
  request: AdmissionRequest,
): Promise<void> {
  for (const step of steps) await step(request);
}
