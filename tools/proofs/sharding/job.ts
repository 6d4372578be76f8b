// What the replicas of the proof reconcile: a number to carry from spec to status.
import { defineResource } from "homeostat";
import * as z from "zod";

export const Job = defineResource({
  group: "proof.example.com",
  version: "v1",
  kind: "Job",
  spec: z.object({ wanted: z.int() }),
  // Who wrote it, as which run of its process, and for which spec.
  status: z.object({ by: z.string(), run: z.int(), seen: z.int() }),
});

export const namespace = "default";
export const ring = "proof";
