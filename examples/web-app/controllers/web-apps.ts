// The controller of web applications: settings become a ConfigMap, pods a Deployment, the address a
// Service. A hash of settings and Secret in the pod template restarts the pods when one changes.
import { createHash } from "node:crypto";
import { defineController, ref } from "homeostat";
import { Deployment } from "homeostat/k8s/apps/v1";
import { ConfigMap, type EnvFromSource, Secret, Service } from "homeostat/k8s/core/v1";
import { WebApp } from "../resources/web-app.ts";

export const webApps = defineController(WebApp, {
  owns: [ConfigMap, Deployment, Service],
  refs: { secret: ref(Secret, (app) => app.spec.secret) },
  async reconcile({ object: app, refs: { secret }, own, status, condition, wait }) {
    const { name, namespace } = app.metadata;
    const { image, replicas, port, settings } = app.spec;
    const missing = app.spec.secret !== undefined && !secret;
    condition("SecretFound", missing ? "False" : "True", missing ? "NotFound" : "Found");
    if (missing) {
      condition("Ready", "False", "SecretMissing", `waits for Secret ${app.spec.secret}`);
      return wait.forRef("secret");
    }

    const labels = { "app.kubernetes.io/name": name, "app.kubernetes.io/managed-by": "web" };
    await own(ConfigMap, [ConfigMap({ name, labels }, { data: settings })]);
    await own(Service, [
      Service(
        { name, labels },
        { spec: { selector: labels, ports: [{ port: 80, targetPort: port }] } },
      ),
    ]);
    const envFrom: EnvFromSource[] = [{ configMapRef: { name } }];
    if (secret) envFrom.push({ secretRef: { name: secret.metadata.name } });
    const annotations = { "web.example.com/hash": hash(settings, secret?.data) };
    const [deployment] = await own(Deployment, [
      Deployment(
        { name, labels },
        {
          spec: {
            replicas,
            selector: { matchLabels: labels },
            template: {
              metadata: { labels, annotations },
              spec: {
                containers: [{ name: "app", image, ports: [{ containerPort: port }], envFrom }],
              },
            },
          },
        },
      ),
    ]);

    const { observedGeneration, readyReplicas = 0, updatedReplicas = 0 } = deployment!.status;
    const isCurrent = observedGeneration === deployment!.metadata.generation;
    const ready = isCurrent && updatedReplicas === replicas && readyReplicas === replicas;
    status({ readyReplicas, url: `http://${name}.${namespace}.svc` });
    const pods = `${readyReplicas} of ${replicas} pods are ready`;
    condition("Ready", ready ? "True" : "False", ready ? "Serving" : "RollingOut", pods);
    if (!ready) return wait.for("the pods to be ready");
  },
});

/** A short hash of the entries, whatever their order. */
function hash(...parts: readonly (Readonly<Record<string, string>> | undefined)[]): string {
  const entries = parts.map((part = {}) => Object.entries(part).toSorted());
  return createHash("sha256").update(JSON.stringify(entries)).digest("hex").slice(0, 16);
}
