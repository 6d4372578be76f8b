import assert from "node:assert/strict";
import { test } from "node:test";
import { openKind } from "../open-kind.suite.ts";

const group = "networking.k8s.io";
const metadata = { name: "a", namespace: "n" };

test("an ingress has rules or a backend, and paths that say how they match", () => {
  const kind = openKind(group, "ingresses");
  assert.deepEqual(kind.create({ metadata, spec: {} }).errors, [
    "spec: Invalid value: null: either `defaultBackend` or `rules` must be specified",
  ]);
  const paths = [
    {
      path: "/a//b",
      pathType: "Prefix",
      backend: { service: { name: "s", port: { number: 80 } } },
    },
    { path: "/", backend: {} },
  ];
  assert.deepEqual(
    kind.create({ metadata, spec: { rules: [{ host: "10.0.0.1", http: { paths } }] } }).errors,
    [
      'spec.rules[0].host: Invalid value: "10.0.0.1": must be a DNS name, not an IP address',
      "spec.rules[0].http.paths[0].path: Invalid value: \"/a//b\": must not contain '//'",
      "spec.rules[0].http.paths[1].pathType: Required value: pathType must be specified",
    ],
  );
});

test("the old annotation of an ingress causes a warning if it is used alone", () => {
  const kind = openKind(group, "ingresses");
  const annotations = { "kubernetes.io/ingress.class": "x" };
  const spec = { defaultBackend: { service: { name: "s", port: { name: "http" } } } };
  assert.equal(kind.create({ metadata: { ...metadata, annotations }, spec }).warnings.length, 1);
  assert.equal(
    kind.create({
      metadata: { ...metadata, annotations },
      spec: { ...spec, ingressClassName: "x" },
    }).warnings.length,
    0,
  );
});

test("an ingress counts changes of its spec, and hosts beyond the third", () => {
  const kind = openKind(group, "ingresses");
  const rules = ["a.x", "b.x", "c.x", "d.x", "e.x"].map((host) => ({ host }));
  const { object } = kind.create({ metadata, spec: { rules } });
  assert.deepEqual(kind.cells(object).slice(1, 5), ["<none>", "a.x,b.x,c.x + 2 more...", "", "80"]);
  assert.deepEqual(
    (
      kind.update(object, { metadata, spec: { rules: rules.slice(1) } }).object[
        "metadata"
      ] as Record<string, unknown>
    )["generation"],
    2,
  );
});

test("policies imply their direction and check their blocks", () => {
  const kind = openKind(group, "networkpolicies");
  const { object, errors } = kind.create({
    metadata,
    spec: {
      podSelector: {},
      egress: [
        {
          to: [{ ipBlock: { cidr: "10.0.0.0/8", except: ["11.0.0.0/16"] }, podSelector: {} }],
          ports: [{ port: 5, endPort: 4 }],
        },
      ],
    },
  });
  assert.deepEqual((object["spec"] as Record<string, unknown>)["policyTypes"], [
    "Ingress",
    "Egress",
  ]);
  assert.deepEqual(errors, [
    "spec.egress[0].ports[0].endPort: Invalid value: 5: must be greater than or equal to `port`",
    'spec.egress[0].to[0].ipBlock.except[0]: Invalid value: "11.0.0.0/16": must be a strict subset of `cidr`',
    "spec.egress[0].to[0]: Forbidden: may not specify both ipBlock and another peer",
  ]);
});

test("networks that were stored may stay as they are", () => {
  const kind = openKind(group, "networkpolicies");
  const policy = {
    metadata,
    spec: { podSelector: {}, ingress: [{ from: [{ ipBlock: { cidr: "10.0.0.1/8" } }] }] },
  };
  const first = kind.create(policy);
  assert.deepEqual(first.errors, [
    'spec.ingress[0].from[0].ipBlock.cidr: Invalid value: "10.0.0.1/8": must not have bits set beyond the prefix length',
  ]);
  const again = kind.update(first.object, policy);
  assert.deepEqual(
    [again.errors, again.warnings],
    [
      [],
      [
        'spec.ingress[0].from[0].ipBlock.cidr: CIDR value "10.0.0.1/8" is ambiguous in this context (should be "10.0.0.0/8" or "10.0.0.1/32"?)',
      ],
    ],
  );
});

test("a class keeps its controller", () => {
  const kind = openKind(group, "ingressclasses");
  const { object } = kind.create({
    metadata: { name: "c" },
    spec: { controller: "a.io/x", parameters: { kind: "P", name: "p" } },
  });
  assert.deepEqual(kind.cells(object), ["c", "a.io/x", "P/p", "<unknown>"]);
  assert.match(
    kind.update(object, { metadata: { name: "c" }, spec: { controller: "b.io/x" } }).errors[0]!,
    /^spec\.controller: Invalid value: "b\.io\/x": field is immutable/,
  );
});

test("a range of service addresses may get a second family and nothing else", () => {
  const kind = openKind(group, "servicecidrs");
  const { object, errors } = kind.create({
    metadata: { name: "r" },
    spec: { cidrs: ["10.1.0.0/16"] },
  });
  assert.deepEqual(errors, []);
  assert.deepEqual(
    kind.update(object, { metadata: { name: "r" }, spec: { cidrs: ["10.1.0.0/16", "fd00::/64"] } })
      .errors,
    [],
  );
  assert.deepEqual(
    kind.update(object, { metadata: { name: "r" }, spec: { cidrs: ["10.2.0.0/16"] } }).errors,
    ['spec.cidrs[0]: Invalid value: "10.2.0.0/16": field is immutable'],
  );
});
