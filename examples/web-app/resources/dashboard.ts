// A list of all web applications of its namespace, kept in a ConfigMap of the dashboard's name.
import { defineResource } from "homeostat";
import * as z from "zod";

export const Dashboard = defineResource({
  group: "web.example.com",
  version: "v1",
  kind: "Dashboard",
  spec: z.object({ title: z.string() }),
  status: z.object({ apps: z.int(), ready: z.int() }),
  columns: { Apps: ".status.apps", Ready: ".status.ready" },
});
