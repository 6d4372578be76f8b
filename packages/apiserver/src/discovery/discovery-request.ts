// The input of discovery.
import type { RequestAudit } from "../apimachinery/audit.ts";

/** The parts of a request that discovery reads. */
export interface DiscoveryRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** Without the question mark. */
  readonly query: string;
  /** "" when the header is absent. */
  readonly accept: string;
  readonly ifNoneMatch?: string | undefined;
  /** Undefined for a request that is not audited. */
  readonly audit?: RequestAudit | undefined;
  /** Indented JSON: requested in the query, or for an interactive client. */
  readonly pretty: boolean;
}
