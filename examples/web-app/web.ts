// The operator: its name, kinds and controllers.
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
