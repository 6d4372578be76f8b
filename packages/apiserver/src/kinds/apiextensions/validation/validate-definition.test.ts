import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "homeostat/api";
import type { JsonSchemaProps } from "../../../schema/json-schema-props.ts";
import { checkRuleExpressions } from "../../../schema/cel/check-rule-expressions.ts";
import { checkRuleFields } from "../../../schema/cel/check-rule-fields.ts";
import { compileRules } from "../../../schema/cel/compile-rules.ts";
import { readKindData } from "../../../apimachinery/kind-data/read-kind-data.ts";
import { createGoDecoder } from "../../serializer/go-decoder.ts";
import {
  type Definition,
  type DefinitionSpec,
  type DefinitionVersion,
  definitionOf,
} from "../definition/definition.ts";
import { validateDefinitionChange, validateNewDefinition } from "./validate-definition.ts";
import { printInternal as print } from "../../printers/print-internal.suite.ts";
import { type FieldError, printError } from "../../../apimachinery/errors/field-error.ts";
import type { SchemaChecks } from "./validate-root-schema.ts";

const metadata = createGoDecoder(
  readKindData("1.36"),
  "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta",
  { emptyLists: "kept" },
);
const checks: SchemaChecks = { checkRuleFields, checkRuleExpressions, compileRules, metadata };

const version = (name: string, more: Partial<DefinitionVersion> = {}): DefinitionVersion => ({
  name,
  served: true,
  storage: true,
  schema: { openAPIV3Schema: { type: "object" } },
  ...more,
});
const definition = (spec: DefinitionSpec = {}, more: JsonObject = {}): Definition =>
  definitionOf({
    metadata: { name: "cars.x.io" },
    spec: {
      group: "x.io",
      scope: "Cluster",
      names: { plural: "cars", singular: "car", kind: "Car", listKind: "CarList" },
      versions: [version("v1")],
      conversion: { strategy: "None" },
      ...spec,
    } as unknown as JsonObject,
    status: { acceptedNames: {}, storedVersions: ["v1"] },
    ...more,
  });
const texts = (errors: readonly FieldError[]): string[] =>
  errors.map((error) => `${error.field}: ${printError(error, print).body}`);
const faults = (spec: DefinitionSpec, more: JsonObject = {}): string[] =>
  texts(validateNewDefinition(definition(spec, more), checks));
const ofSchema = (property: JsonSchemaProps): string[] =>
  faults({
    versions: [
      version("v1", {
        schema: { openAPIV3Schema: { type: "object", properties: { x: property } } },
      }),
    ],
  }).map((text) => text.replace("spec.validation.openAPIV3Schema.properties[x]", "x"));

test("a plain definition is fine", () => {
  assert.deepEqual(faults({}), []);
});

test("rules of items are compiled although their list is at fault; paths of rules only in what converts", () => {
  const rule = { rule: "size(self) < 3" };
  const items = { type: "object", "x-kubernetes-validations": [rule] } as const;
  const set = ofSchema({ type: "array", items, "x-kubernetes-list-type": "set" });
  assert.equal(set.length, 2);
  assert.match(set[0]!, /must be atomic as item of a list/);
  assert.match(set[1]!, /^x\.items\.x-kubernetes-validations\[0\]\.rule: .*no matching overload/s);
  const nowhere = {
    type: "object",
    "x-kubernetes-validations": [{ rule: "true", fieldPath: ".z" }],
  };
  assert.match(ofSchema(nowhere as JsonSchemaProps).join("\n"), /must be a valid path$/);
  const opaque = { ...nowhere, "x-kubernetes-preserve-unknown-fields": false };
  assert.deepEqual(ofSchema(opaque as JsonSchemaProps), [
    "x.x-kubernetes-preserve-unknown-fields: Invalid value: false: must be true or undefined",
  ]);
});

test("defaults are validated with formats that upstream does not know", () => {
  const [misfit, range] = ofSchema({ type: "integer", format: "int16", default: 1.5 });
  assert.match(misfit!, /Invalid value: "float64": .*must be of type int16: "float64"$/);
  assert.match(range!, /must be of type integer \(default format\)/);
});

test("the name joins plural and group", () => {
  assert.deepEqual(faults({}, { metadata: { name: "cars.y.io" } }), [
    'metadata.name: Invalid value: "cars.y.io": must be spec.names.plural+"."+spec.group',
  ]);
});

test("faults of all versions are reported at spec, others at the version", () => {
  const bad = { openAPIV3Schema: { type: "array" } };
  const text = "openAPIV3Schema.items: Required value: must be specified";
  const shared = faults({
    versions: [version("v1", { schema: bad }), version("v2", { schema: bad, storage: false })],
  });
  assert.ok(shared.includes(`spec.validation.${text}`), shared.join("\n"));
  const apart = faults({
    versions: [version("v1"), version("v2", { schema: bad, storage: false })],
  });
  assert.ok(apart.includes(`spec.versions[1].schema.${text}`), apart.join("\n"));
});

test("version names are unique, and one version is stored; the list prints as Go's", () => {
  const printed = (name: string): string =>
    `{"Name":"${name}","Served":true,"Storage":false,"Deprecated":false,"DeprecationWarning":null,"Schema":null,"Subresources":null,"AdditionalPrinterColumns":null,"SelectableFields":null}`;
  const none = version("v1", { storage: false });
  assert.deepEqual(faults({ versions: [none, none] }), [
    `spec.versions: Invalid value: [${printed("v1")},${printed("v1")}]: must contain unique version names`,
    `spec.versions: Invalid value: [${printed("v1")},${printed("v1")}]: must have exactly one version marked as storage version`,
  ]);
});

test("a webhook's service is missed under the wrong name, as upstream has it", () => {
  const conversion = {
    strategy: "Webhook",
    webhook: {
      clientConfig: { service: { namespace: "n", port: 443 } },
      conversionReviewVersions: ["v1"],
    },
  };
  assert.deepEqual(faults({ conversion }), [
    "spec.conversion.webhookClientConfig.service.namespace: Required value",
  ]);
});

test("defaults must be pruned, valid and in line with the rules", () => {
  assert.deepEqual(
    ofSchema({ type: "object", properties: { a: { type: "integer" } }, default: { b: 1 } }),
    ['x.default: Invalid value: {"b":1}: must not have unknown fields'],
  );
  // The value is validated by itself, so that upstream's text names no field.
  assert.deepEqual(ofSchema({ type: "integer", default: "1" }), [
    'x.default: Invalid value: "string":  in body must be of type integer: "string"',
  ]);
  assert.deepEqual(
    ofSchema({
      type: "integer",
      default: 1,
      "x-kubernetes-validations": [{ rule: "self > 1", message: "too small" }],
    }),
    ["x.default: Invalid value: 1: too small"],
  );
});

test("the default of an int-or-string may be of any type", () => {
  for (const value of [1, "a", 5.5, true])
    assert.deepEqual(ofSchema({ "x-kubernetes-int-or-string": true, default: value }), []);
});

test("lists with keys need keys that are always there", () => {
  const items: JsonSchemaProps = { type: "object", properties: { id: { type: "integer" } } };
  assert.deepEqual(
    ofSchema({
      type: "array",
      items,
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["id"],
    }),
    [
      "x.items.properties[id].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property",
    ],
  );
});

test("rules that do not compile are shown whole", () => {
  const [text] = ofSchema({ type: "integer", "x-kubernetes-validations": [{ rule: "self.a" }] });
  assert.match(
    text!,
    /^x\.x-kubernetes-validations\[0\]\.rule: Invalid value: \{"Rule":"self\.a","Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null\}: compilation failed: /,
  );
});

test("a status subresource restricts the root", () => {
  const [text] = faults({
    versions: [
      version("v1", {
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: "object", maxProperties: 1 } },
      }),
    ],
  });
  assert.match(
    text!,
    /^spec\.validation\.openAPIV3Schema: Invalid value: \{"ID":"".*"XValidations":null\}: only \[Description Type .* XValidations\] fields are allowed at the root of the schema if the status subresource is enabled$/,
  );
});

test("immutable fields of an established definition", () => {
  const conditions = [{ type: "Established", status: "True" }];
  const old = definition(
    {},
    { status: { acceptedNames: {}, storedVersions: ["v1", "v0"], conditions } },
  );
  const change = definition(
    { scope: "Namespaced", versions: [version("v2")] },
    { status: { acceptedNames: {}, storedVersions: ["v1", "v0", "v2"], conditions } },
  );
  const gone = (name: string): string =>
    `Invalid value: "${name}": missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`;
  assert.deepEqual(texts(validateDefinitionChange(change, old, checks)), [
    'spec.scope: Invalid value: "Namespaced": field is immutable',
    `status.storedVersions[0]: ${gone("v1")}`,
    `status.storedVersions[1]: ${gone("v0")}`,
  ]);
});

test("groups of the community ask for an approval, once", () => {
  const group = { group: "a.k8s.io" };
  const named = { metadata: { name: "cars.a.k8s.io" } };
  assert.deepEqual(faults(group, named), [
    'metadata.annotations[api-approved.kubernetes.io]: Required value: protected groups must have approval annotation "api-approved.kubernetes.io", see https://github.com/kubernetes/enhancements/pull/1111',
  ]);
  assert.deepEqual(
    faults(group, {
      metadata: {
        name: "cars.a.k8s.io",
        annotations: { "api-approved.kubernetes.io": "unapproved, a try" },
      },
    }),
    [],
  );
  assert.deepEqual(
    texts(validateDefinitionChange(definition(group, named), definition(group, named), checks)),
    [],
  );
});

test("a dependency that is null is neither a schema nor an array", () => {
  const dependencies = { a: null } as unknown as NonNullable<JsonSchemaProps["dependencies"]>;
  assert.deepEqual(ofSchema({ type: "object", dependencies }), [
    "x.dependencies: Forbidden: dependencies is not supported",
  ]);
});
