// The operator: its name, kinds and controllers, and what it needs on a cluster.
import { dashboards } from "./controllers/dashboards.ts";
import { webApps } from "./controllers/web-apps.ts";
import { Dashboard } from "./resources/dashboard.ts";
import { WebApp } from "./resources/web-app.ts";

/** Field managers are `web/<controller>`. */
export const operator = "web";

/** The kinds to install. */
export const resources = [WebApp, Dashboard] as const;

/** The controllers to run. */
export const controllers = [webApps, dashboards];

/** Replicas on one machine need ports of their own. */
const { HEALTH_PORT = "8081", METRICS_PORT = "8443" } = process.env;

/** On a cluster: one of two replicas leads; probes, and metrics for those who may read them. */
export const options = {
  election: {},
  health: { port: Number(HEALTH_PORT) },
  metrics: { port: Number(METRICS_PORT), authorization: "delegated" },
} as const;
