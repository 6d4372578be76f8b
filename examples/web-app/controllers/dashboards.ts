// The controller of dashboards: any change of a WebApp in the namespace updates its ConfigMap.
import { all, defineController } from "homeostat";
import { findStatusCondition, isStatusConditionTrue } from "homeostat/api";
import { ConfigMap } from "homeostat/k8s/core/v1";
import { Dashboard } from "../resources/dashboard.ts";
import { WebApp } from "../resources/web-app.ts";

export const dashboards = defineController(Dashboard, {
  owns: [ConfigMap],
  watches: { apps: all(WebApp, { namespace: (dashboard) => dashboard.metadata.namespace }) },
  async reconcile({ object: dashboard, watches: { apps }, own, status }) {
    const ready = apps.filter((app) => isStatusConditionTrue(app.status.conditions, "Ready"));
    const lines = apps.map((app) => {
      const state = findStatusCondition(app.status.conditions, "Ready")?.message ?? "not started";
      return `${app.metadata.name}: ${app.spec.image}, ${state}\n`;
    });
    const text = `${dashboard.spec.title}\n\n${lines.join("")}`;
    await own(ConfigMap, [ConfigMap(dashboard.metadata.name, { data: { "apps.txt": text } })]);
    status({ apps: apps.length, ready: ready.length });
  },
});
