// A web application: an image with settings and a Secret, served under a name in the cluster.
import { defineResource, k } from "homeostat";
import * as z from "zod";

export const WebApp = defineResource({
  group: "web.example.com",
  version: "v1",
  kind: "WebApp",
  shortNames: ["wa"],
  name: k.name({ maxLength: 50, pattern: "^[a-z]" }), // also the name of a Service
  spec: z.object({
    image: z.string().min(1),
    replicas: z.int().min(0).default(1),
    port: z.int().min(1).max(65535).default(8080).describe("Where the container listens."),
    settings: z.record(z.string(), z.string()).default({}).describe("Environment variables."),
    secret: z
      .string()
      .optional()
      .describe("A Secret with more environment variables; the pods restart when it changes."),
  }),
  status: z.object({ readyReplicas: z.int(), url: z.string() }),
  conditions: ["SecretFound", "Ready"],
  columns: { Image: ".spec.image", Up: ".status.readyReplicas", Ready: "condition:Ready" },
});
