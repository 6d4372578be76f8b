// Keeps the Endpoints and the EndpointSlice of the service `kubernetes`: the advertised address of
// this server. Restores them at upstream's interval after a deletion.
// Upstream: k8s.io/kubernetes/pkg/controlplane/controller/kubernetesservice,
// pkg/controlplane/reconcilers (lease.go, endpointsadapter.go).
import { equalJson, type JsonObject } from "homeostat/api";
import type { HookContext } from "./hook-context.ts";
import { HookController } from "./hook-controller.ts";
import { StoredResource } from "./stored-resource.ts";

const intervalMs = 10_000;
const name = "kubernetes";

/** Where clients in the cluster reach this server. */
export interface Advertised {
  /** IPv4; no loopback address, which endpoints cannot have. */
  readonly ip: string;
  readonly port: number;
}

/** One object to keep. */
interface Kept {
  readonly group: string;
  readonly resource: string;
  readonly path: string;
  readonly wanted: JsonObject;
  /** The fields beside metadata that must be as wanted. */
  readonly fields: readonly string[];
}

export class KubernetesEndpointsController extends HookController {
  constructor(options: HookContext, advertised: Advertised) {
    super(options, {
      retryMs: intervalMs,
      failing: () => "the endpoints of the service kubernetes cannot be written",
    });
    for (const kept of keptObjects(advertised)) {
      const stored = new StoredResource(options.core, kept.group, kept.resource);
      this.onStop(
        stored.watch(({ name: changed, revision }) => {
          if (changed === name && revision.type === "DELETED") this.add(name, intervalMs);
        }, "default"),
      );
    }
    this.add(name);
    this.start(async () => {
      for (const kept of keptObjects(advertised)) await this.#keep(kept);
      return undefined;
    });
  }

  async #keep({ path, wanted, fields }: Kept): Promise<void> {
    const { loopback } = this.context;
    const found = await loopback("GET", `${path}/${name}`);
    if (found.status === 404) return assertWritten(await loopback("POST", path, wanted));
    const isKept = fields.every((field) =>
      equalJson(found.object[field] ?? null, wanted[field] ?? null),
    );
    if (isKept) return;
    const next = { ...found.object, ...wanted, metadata: found.object["metadata"] ?? {} };
    assertWritten(await loopback("PUT", `${path}/${name}`, next));
  }
}

/** Another server may have been sooner. */
function assertWritten({ status, object }: { readonly status: number; readonly object: object }) {
  if (status >= 300 && status !== 409) throw new Error(JSON.stringify(object));
}

function keptObjects({ ip, port }: Advertised): readonly Kept[] {
  const ports = [{ name: "https", port, protocol: "TCP" }];
  return [
    {
      group: "",
      resource: "endpoints",
      path: "/api/v1/namespaces/default/endpoints",
      fields: ["subsets"],
      wanted: {
        apiVersion: "v1",
        kind: "Endpoints",
        metadata: { name, labels: { "endpointslice.kubernetes.io/skip-mirror": "true" } },
        subsets: [{ addresses: [{ ip }], ports }],
      },
    },
    {
      group: "discovery.k8s.io",
      resource: "endpointslices",
      path: "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices",
      fields: ["endpoints", "ports"],
      wanted: {
        apiVersion: "discovery.k8s.io/v1",
        kind: "EndpointSlice",
        metadata: { name, labels: { "kubernetes.io/service-name": name } },
        addressType: "IPv4",
        endpoints: [{ addresses: [ip], conditions: { ready: true } }],
        ports,
      },
    },
  ];
}
