// apiextensions.k8s.io/v1 JSONSchemaProps as on the wire: the form in which every part of the
// server accepts the schema of a custom resource. Compile it once; never walk it per request.
// Upstream: k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1/types_jsonschema.go.
export type {
  JSONSchemaProps as JsonSchemaProps,
  ValidationRule,
} from "homeostat/k8s/apiextensions/v1";
