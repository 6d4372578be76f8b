// Serves /metrics: requests by verb, resource and code, objects by resource. Only those of
// upstream's metrics that mean the same here; the others are absent rather than zero.
// Upstream: k8s.io/apiserver/pkg/endpoints/metrics/metrics.go,
// pkg/storage/etcd3/metrics/metrics.go.
import type { Decoded } from "homeostat/api";
import { formatMetrics, type Sample } from "homeostat/metrics";
import type { PriorityLevelConfiguration } from "homeostat/k8s/flowcontrol/v1";
import type { ApiResponse } from "../apimachinery/handler.ts";
import type { CoreServices } from "../registry/scope/core-services.ts";
import { storagePrefixOf } from "../registry/revisions/storage-key.ts";
import { parseStored } from "../registry/revisions/stored-json.ts";
import type { ServerRequest } from "../registry/request/server-request.ts";
import { figure, metricsResponse, resetResponse, startTimeFigure } from "./prometheus-text.ts";

const verbs: Readonly<Record<string, string>> = {
  create: "POST",
  update: "PUT",
  patch: "PATCH",
  deletecollection: "DELETECOLLECTION",
};

/** The metrics of one server. */
export class RequestMetrics {
  readonly #core: CoreServices;
  readonly #startedAtMs: number;
  /** By the label values of their series, a line each: formatted when they are asked for. */
  readonly #requests = new Map<string, number>();

  constructor(core: CoreServices) {
    this.#core = core;
    this.#startedAtMs = core.runtime.clock.now();
  }

  /** Counts a response. Unserved paths and kinds are left out, because clients can invent any. */
  count(request: ServerRequest, code: number): void {
    const { isResource, group, version, resource } = request.info;
    if (isResource ? !this.#core.catalog.find(group, version, resource) : code !== 200) return;
    const series = requestLabels(request, code);
    this.#requests.set(series, (this.#requests.get(series) ?? 0) + 1);
  }

  /** Serves /metrics, and resets it on DELETE; undefined for every other path. */
  answer({ api, info }: ServerRequest): ApiResponse | undefined {
    if (info.isResource || info.path !== "/metrics") return undefined;
    if (api.method === "DELETE") return this.#reset();
    return metricsResponse(this.text());
  }

  #reset(): ApiResponse {
    this.#requests.clear();
    return resetResponse();
  }

  /** All metrics in Prometheus' text format. */
  text(): string {
    return formatMetrics([
      figure(
        "apiserver_flowcontrol_nominal_limit_seats",
        "gauge",
        "[BETA] Nominal number of execution seats configured for each priority level",
        this.#nominalSeats(),
      ),
      figure("apiserver_request_total", "counter", requestsHelp, this.#requestSeries()),
      figure("apiserver_resource_objects", "gauge", objectsHelp, this.#countObjects()),
      startTimeFigure("STABLE", this.#startedAtMs),
    ]);
  }

  #nominalSeats(): readonly Sample[] {
    const group = "flowcontrol.apiserver.k8s.io";
    const served = this.#core.catalog.find(group, "v1", "prioritylevelconfigurations");
    const listing = served && this.#core.store.list(storagePrefixOf(served, ""));
    const levels =
      typeof listing === "object"
        ? Array.from(listing.items, ({ bytes }) => parseStored(bytes) as PriorityLevel)
        : [];
    return nominalSeats(levels).map(([name, value]) => ({
      labels: { priority_level: name },
      value,
    }));
  }

  #requestSeries(): readonly Sample[] {
    return Array.from(this.#requests, ([values, value]) => {
      const texts = values.split("\n");
      const labels = requestLabelNames.map((name, i) => [name, texts[i] ?? ""] as const);
      return { labels: Object.fromEntries(labels), value };
    });
  }

  #countObjects(): readonly Sample[] {
    const counts = new Map<string, Sample>();
    for (const served of this.#core.catalog.all()) {
      const labels = { group: served.group, resource: served.resource };
      const series = `${served.resource}.${served.group}`;
      if (served.review || served.observed || served.createsThrough || counts.has(series)) continue;
      const listing = this.#core.store.list(storagePrefixOf(served, ""));
      if (typeof listing === "object")
        counts.set(series, {
          labels,
          value: Iterator.from(listing.items).reduce((count) => count + 1, 0),
        });
    }
    return [...counts.values()];
  }
}

type PriorityLevel = Decoded<PriorityLevelConfiguration>;

/**
 * The seats of the server, those of 400 requests that read and 200 that write, shared among the
 * levels. Upstream: pkg/util/flowcontrol/apf_controller.go (finishQueueSetReconfigsLocked).
 */
function nominalSeats(levels: readonly PriorityLevel[]): readonly (readonly [string, number])[] {
  const sharesOf = ({ spec }: PriorityLevel): number =>
    Number((spec?.limited ?? spec?.exempt)?.nominalConcurrencyShares ?? 0);
  const sum = levels.reduce((total, level) => total + sharesOf(level), 0);
  return levels.map((level) => [
    level.metadata?.name ?? "",
    sum ? Math.ceil((serverSeats * sharesOf(level)) / sum) : 0,
  ]);
}

const serverSeats = 600;

const requestsHelp =
  "[STABLE] Counter of apiserver requests broken out for each verb, dry run value, group, version, resource, scope, component, and HTTP response code.";
const objectsHelp =
  "[ALPHA] Number of stored objects at the time of last check split by kind. In case of a fetching error, the value will be -1.";

const requestLabelNames = [
  "code",
  "component",
  "dry_run",
  "group",
  "resource",
  "scope",
  "subresource",
  "verb",
  "version",
] as const;

/** The values of these labels, a line each. */
function requestLabels({ api, info, query }: ServerRequest, code: number): string {
  const { isResource, path, group, version, resource, subresource, verb } = info;
  const component = isResource ? "apiserver" : "";
  const dryRun = query.first("dryRun") === "All" ? "All" : "";
  const isApply =
    verb === "patch" && api.headers["content-type"]?.startsWith("application/apply-patch");
  const shownVerb = isApply ? "APPLY" : (verbs[verb] ?? verb.toUpperCase());
  const part = isResource ? subresource : path;
  return `${code}\n${component}\n${dryRun}\n${group}\n${resource}\n${scopeOf(info)}\n${part}\n${shownVerb}\n${version}`;
}

function scopeOf({ isResource, verb, namespace, name }: ServerRequest["info"]): string {
  if (!isResource) return "";
  if (name || verb === "create") return "resource";
  return namespace ? "namespace" : "cluster";
}
