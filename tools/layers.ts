// The import order, as data: this file is the documentation, and test/architecture/layers.test.ts
// the check. A folder imports itself and folders on lower levels; folders on one level do not
// import each other. Every folder is on exactly one level; "." is the files beside the
// folders. Test files may import sideways inside their package, never from another package's
// internals.

/** Levels of the folders of one place, lowest first. */
export type Levels = readonly (readonly string[])[];

/**
 * Published packages, lowest first: each may import those before it, when its manifest names them.
 */
export const packageOrder = [
  "@homeostat/cel",
  "homeostat",
  "@homeostat/apiserver",
  "@homeostat/testing",
  "@homeostat/cli",
  "create-homeostat",
] as const;

/**
 * Levels by place: a package (`apiserver`, its folders below `src`) or a folder of one
 * (`apiserver/registry`). Places that are not listed have no order inside.
 */
export const layers: Readonly<Record<string, Levels>> = {
  // cel-go's own rooms, under its names: common/types, parser, checker, interpreter, ext.
  cel: [
    ["types"],
    ["values"],
    ["cost", "go"], // what steps cost; what Go's standard library does
    ["functions"],
    ["ast"],
    ["parser"], // macros included
    ["environment"],
    ["checker", "interpreter", "ext", "stdlib"],
    ["kubernetes"], // Kubernetes' libraries, and which version has which
    ["."], // text in, program out; facades
    ["testing"],
  ],
  homeostat: [
    ["util", "runtime"], // would make sense without Kubernetes
    // api is pure: keys, selectors, Status, definitions, exact JSON; metrics: counters, their text
    ["api", "certificates", "metrics"],
    ["k8s"], // types and names of the built-in kinds, generated
    ["client", "queue"],
    ["cache", "election", "events"],
    ["controller", "webhook"],
    ["manager"], // composition root
    ["."], // facade, re-exports by hand
  ],
  apiserver: [
    ["apimachinery"], // shared contracts: errors, metadata, ServedResource, kind data
    ["certificates", "json-path", "schema", "storage", "webhook-client"],
    ["http", "merge"],
    // Siblings that meet at apimachinery's ServedResource: a kind is one, and the registry serves
    // any; neither knows the other.
    ["kinds", "registry"],
    ["audit", "authentication", "authorization", "discovery", "flowcontrol", "openapi", "protobuf"],
    ["admission", "aggregator", "faults", "filters", "post-start-hooks"],
    ["server"], // the API server as one function from a request to a response
    ["component-helpers"], // from here on clients of that server
    ["controllers", "scheduler", "fake-nodes"],
    ["controller-manager"],
    ["."], // composition root and facade
  ],
  "apiserver/apimachinery": [["errors", "kind-data"], ["meta", "types", "values"], ["."], ["rest"]],
  "apiserver/kinds": [
    ["printers", "serializer"],
    ["validation"],
    ["definition"],
    [
      "custom",
      "core", // pods, volumes and resources, on which the groups above it build
      "admissionregistration",
      "apiextensions",
      "apiregistration",
      "authentication",
      "authorization",
      "certificates",
      "coordination",
      "discovery",
      "events",
      "flowcontrol",
      "networking",
      "policy",
      "rbac",
      "scheduling",
    ],
    ["apps", "autoscaling", "batch", "node", "resource", "storage", "storagemigration"],
    ["."], // the list of all kinds
  ],
  "apiserver/kinds/apiextensions": [["definition"], ["schema"], ["validation"], ["."]],
  "apiserver/kinds/core": [
    ["proxy", "resources", "service-account"],
    ["persistent-volume-claim", "quota", "service"],
    ["pod"],
    ["persistent-volume", "workload"], // volumes' sources and pod templates: pods' rules
    ["."], // the kinds, one file each
  ],
  "apiserver/kinds/core/pod": [
    ["containers"],
    ["defaults", "validation"],
    ["subresources", "warnings"],
    ["."], // pods and pod templates
  ],
  "apiserver/kinds/core/pod/validation": [
    ["options"],
    ["security", "volumes"],
    ["containers"],
    ["."], // pods, their specs and statuses
  ],
  "apiserver/merge": [["fieldpath", "patch"], ["typed", "strategicpatch"], ["managedfields"]],
  "apiserver/schema": [
    ["formats"],
    ["."], // JSONSchemaProps, and nodes compiled from them
    ["defaulting", "listtype", "objectmeta", "pruning", "validation"],
    ["structural"], // JSONSchemaProps in, nodes out
    ["cel"],
  ],
  "apiserver/registry": [
    ["request", "negotiation", "revisions", "managed-fields", "yaml"],
    ["scope"], // what one request works with
    ["body", "response"],
    ["options"],
    ["read", "patch"],
    ["store", "watch"],
    ["handlers"],
    ["."], // routing and dispatch
  ],
};

/**
 * What only some folders of a package may import from others: everything in the API server but its
 * controllers is no client.
 */
export const narrowedImports: readonly {
  readonly folder: string;
  readonly except: readonly string[];
  readonly from: string;
  readonly allowed: readonly string[];
}[] = [
  {
    folder: "apiserver",
    except: ["component-helpers", "controllers", "controller-manager", "scheduler", "fake-nodes"],
    from: "homeostat",
    allowed: [
      "homeostat/api",
      "homeostat/certificates",
      "homeostat/k8s/",
      "homeostat/metrics",
      "homeostat/queue",
      "homeostat/runtime",
    ],
  },
];
