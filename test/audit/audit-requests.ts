// The requests whose audit events are compared with those of the real kube-apiserver. They are sent
// in order, each with its name as Audit-ID, to a new server.
import { admission, levels, paths, subresources, users } from "./other-requests.ts";
import { reads } from "./read-requests.ts";
import type { AuditRequest } from "./request-builders.ts";
import { setUp } from "./setup-requests.ts";
import { changes, creates } from "./write-requests.ts";

/** All of them. */
export const auditRequests: readonly AuditRequest[] = [
  ...setUp,
  ...creates,
  ...reads,
  ...changes,
  ...users,
  ...paths,
  ...subresources,
  ...admission,
  ...levels,
];
