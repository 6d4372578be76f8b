import assert from "node:assert/strict";
import { test } from "node:test";
import { readAuditPolicy, readAuditPolicyFile } from "./read-audit-policy.ts";

const head = "apiVersion: audit.k8s.io/v1\nkind: Policy\n";

async function read(text: string): Promise<{ readonly fault: string; readonly warned: string[] }> {
  const warned: string[] = [];
  try {
    await readAuditPolicy(Buffer.from(text), (message) => warned.push(message));
    return { fault: "", warned };
  } catch (error) {
    return { fault: (error as Error).message, warned };
  }
}

// The messages are those of k8s.io/apiserver 0.36.3 for the same texts.
test("malformed policies are refused with upstream's messages", async () => {
  const decoding = (why: string) => `failed decoding: ${why}`;
  const scheme = 'in scheme "pkg/runtime/scheme.go:111"';
  const field = "json: cannot unmarshal";
  const struct =
    'Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';
  const untyped = "unknown group version field audit.k8s.io/__internal, Kind=Policy in policy";
  const cases: readonly (readonly [text: string, fault: string])[] = [
    ["", untyped],
    ["rules: [{level: None}]", untyped],
    ["kind: Policy\nrules: [{level: None}]", untyped],
    [head, "loaded illegal policy with 0 rules"],
    [`${head}rules: [{}]`, "rules[0].level: Required value"],
    [
      "hello",
      decoding(`couldn't get version/kind; json parse error: ${field} string into ${struct}`),
    ],
    ["- a", decoding(`couldn't get version/kind; json parse error: ${field} array into ${struct}`)],
    [
      '{"apiVersion":"audit.k8s.io/v1",',
      decoding("couldn't get version/kind; json parse error: unexpected end of JSON input"),
    ],
    [
      "apiVersion: audit.k8s.io/v1beta1\nkind: Policy",
      decoding(`no kind "Policy" is registered for version "audit.k8s.io/v1beta1" ${scheme}`),
    ],
    [
      "apiVersion: v1\nkind: ConfigMap",
      decoding(`no kind "ConfigMap" is registered for version "v1" ${scheme}`),
    ],
    [
      "apiVersion: audit.k8s.io/v1\nkind: Event",
      decoding("converting (v1.Event) to (audit.Policy): unknown conversion"),
    ],
    [
      `${head}rules: {level: None}`,
      decoding(`${field} object into Go struct field Policy.rules of type []v1.PolicyRule`),
    ],
    [
      `${head}rules: [{level: None, users: x}]`,
      decoding(`${field} string into Go struct field PolicyRule.rules.users of type []string`),
    ],
    [
      `${head}rules: [{level: 1}]`,
      decoding(`${field} number into Go struct field PolicyRule.rules.level of type v1.Level`),
    ],
    [
      `${head}omitManagedFields: "yes"`,
      decoding(`${field} string into Go struct field Policy.omitManagedFields of type bool`),
    ],
    [
      `${head}rules: [{omitManagedFields: 3, verbs: [null]}]`,
      decoding(
        `${field} number into Go struct field PolicyRule.rules.omitManagedFields of type bool`,
      ),
    ],
    [
      `${head}rules: [{resources: [{resources: [1]}]}]`,
      decoding(
        `${field} number into Go struct field GroupResources.rules.resources.resources of type string`,
      ),
    ],
    [
      `${head}metadata: {name: 3}`,
      decoding(`${field} number into Go struct field ObjectMeta.metadata.name of type string`),
    ],
  ];
  for (const [text, fault] of cases) assert.deepEqual((await read(text)).fault, fault, text);
});

test("every invalid field of a policy is named", async () => {
  const stages = "allowed stages are RequestReceived,ResponseStarted,ResponseComplete,Panic";
  const subdomain =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
  const text = `${head}omitStages: [Foo]
rules:
- {level: Nope}
- {level: Metadata, nonResourceURLs: ["x*y", "/a*b", "*", ""], omitStages: [ResponseComplete, Bar]}
- {level: Request, nonResourceURLs: ["/a"], namespaces: [x]}
- {level: Request, resources: [{group: rbac/v1}, {group: "*", resourceNames: [x, z]}]}`;
  const slash = "non-resource URL rules must begin with a '/' character";
  const star = "non-resource URL wildcards '*' must be the final character of the rule";
  assert.equal(
    (await read(text)).fault,
    `[${[
      `omitStages[0]: Invalid value: "Foo": ${stages}`,
      'rules[0].level: Unsupported value: "Nope": supported values: "None", "Metadata", "Request", "RequestResponse"',
      `rules[1].nonResourceURLs[0]: Invalid value: "x*y": ${slash}`,
      `rules[1].nonResourceURLs[0]: Invalid value: "x*y": ${star}`,
      `rules[1].nonResourceURLs[1]: Invalid value: "/a*b": ${star}`,
      `rules[1].nonResourceURLs[3]: Invalid value: "": ${slash}`,
      `rules[1].omitStages[1]: Invalid value: "Bar": ${stages}`,
      'rules[2].nonResourceURLs: Invalid value: ["/a"]: rules cannot apply to both regular resources and non-resource URLs',
      `rules[3].resources.group: Invalid value: "rbac/v1": ${subdomain}`,
      'rules[3].resources.resourceNames: Invalid value: ["x","z"]: using resourceNames requires at least one resource',
    ].join(", ")}]`,
  );
});

test("unknown and repeated fields are ignored with a warning", async () => {
  const lenient =
    "Audit policy contains errors, falling back to lenient decoding: strict decoding error: ";
  const cases: readonly (readonly [text: string, errors: string])[] = [
    [
      `${head}foo: 1\nrules: [{level: None, bar: 2, resources: [{grup: x}]}]`,
      'unknown field "foo", unknown field "rules[0].bar", unknown field "rules[0].resources[0].grup"',
    ],
    [
      '{"apiVersion":"audit.k8s.io/v1","kind":"Policy","rules":[{"level":"None","Users":["x"]}]}',
      'unknown field "rules[0].Users"',
    ],
    [
      `${head}metadata: {nome: x}\nrules: [{level: None, level: None}]`,
      'yaml: unmarshal errors: line 4: key "level" already set in map, unknown field "metadata.nome"',
    ],
  ];
  for (const [text, errors] of cases)
    assert.deepEqual(await read(text), { fault: "", warned: [lenient + errors] });
  const noKind = "apiVersion: audit.k8s.io/v1\nrules: [{level: None}]";
  assert.deepEqual(await read(noKind), { fault: "", warned: [] });
});

test("documents after the first are not read, with a warning", async () => {
  const one = `${head}rules: [{level: None}]\n`;
  const warned = ["Audit policy has 2 YAML documents: only the first is read"];
  assert.deepEqual(await read(`${one}---\nrules: []`), { fault: "", warned });
  for (const text of [`---\n${one}`, `${one}---\n# nothing\n`, `${one}...\n`])
    assert.deepEqual(await read(text), { fault: "", warned: [] });
});

test("a file that cannot be read is named", async () => {
  await assert.rejects(
    readAuditPolicyFile("/nowhere.yaml", () => {}),
    {
      message:
        'failed to read file path "/nowhere.yaml": open /nowhere.yaml: no such file or directory',
    },
  );
});
