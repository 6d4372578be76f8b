// The order of the house, as data: this file is the document, and test/architecture/layers.test.ts
// the check. A unit (a folder, or a file that is named here by itself) imports itself and lower
// levels; units on one level are strangers. The longest name that fits a path decides. Test files
// may look sideways inside their package, never into another.

/** Levels of one package, lowest first; paths below its `src`. */
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
 * Levels inside each package, by folder under `packages/`. Packages that are not here have no order
 * inside.
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
    ["program.ts"], // text in, program out
    ["testing"],
    ["index.ts", "net.ts"],
  ],
  homeostat: [
    ["util", "runtime"], // would make sense without Kubernetes
    ["api"], // pure: keys, selectors, Status, resource definitions, exact JSON
    ["client", "queue"],
    ["cache", "election", "events"],
    ["controller", "webhook"],
    ["extension", "contract"],
    ["manager"], // composition root
    ["index.ts"], // facade, re-exports by hand
  ],
  apiserver: [
    // The seams: small files of types and constructors that everybody shares. They lie beside what
    // they are about.
    [
      "http/handler.ts",
      "registry/field-error.ts",
      "merge/smd-type.ts",
      "server-error.ts",
      "kubernetes-version.ts",
    ],
    ["registry/api-errors.ts", "storage", "certificates", "kinds/data"],
    ["registry/object-meta", "http"],
    ["schema"],
    ["json-path"],
    ["merge"],
    // The contract that the next level meets at: the registry serves any resource, a kind is one,
    // and neither knows the other.
    ["registry/served-resource.ts"],
    ["kinds", "registry"],
    ["openapi", "discovery", "protobuf"],
    ["chain"],
    ["in-process.ts"],
    ["simulators"],
    ["server.ts", "parse-stages.ts"], // composition root
    ["index.ts"],
  ],
};

/**
 * What only some folders of a package may import from others: everything in the API server but its
 * simulators is no client.
 */
export const narrowedImports: readonly {
  readonly folder: string;
  readonly except: readonly string[];
  readonly from: string;
  readonly allowed: readonly string[];
}[] = [
  {
    folder: "apiserver",
    except: ["simulators"],
    from: "homeostat",
    allowed: ["homeostat/api", "homeostat/runtime"],
  },
];
