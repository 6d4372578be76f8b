// What the replicas of the proof reconcile: a number to carry from spec to status, in two writes.
import { defineResource } from "homeostat";
import * as z from "zod";

export const Ticket = defineResource({
  group: "proof.example.com",
  version: "v1",
  kind: "Ticket",
  spec: z.object({ wanted: z.int() }),
  status: z.object({ by: z.string(), begun: z.int(), seen: z.int() }),
});

export const namespace = "default";
export const operator = "failover";
