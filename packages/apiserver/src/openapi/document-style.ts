// How upstream's two builders of documents differ: the installer of built-in kinds, and the builder
// for definitions.
// Upstream: k8s.io/apiserver/pkg/endpoints/installer.go,
// k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder/builder.go.
import {
  deleteCollectionParameters,
  listParameters,
  type ParameterName,
} from "./operation-parameters.ts";

/** What the operations of a resource offer, beside what its verbs say. */
export interface DocumentStyle {
  /** Media types of responses. */
  readonly responseTypes: readonly string[];
  /** Media types of responses to lists and watches. */
  readonly streamTypes: readonly string[];
  /** Media types of request bodies. */
  readonly bodyTypes: readonly string[];
  readonly patchTypes: readonly string[];
  /** Status codes of a successful patch. */
  readonly patchCodes: readonly number[];
  /** Parameters of a get. */
  readonly getParameters: readonly ParameterName[];
  readonly deleteCollectionParameters: readonly ParameterName[];
  /** DELETE of a collection takes DeleteOptions. */
  readonly deleteCollectionBody: boolean;
  /** The deprecated paths below `/watch/`. */
  readonly watchPaths: boolean;
  /** The kind that operations on subresources name. */
  readonly subresourceKind: "own" | "parent";
}

const textTypes = ["application/json", "application/yaml"];
const protobuf = "application/vnd.kubernetes.protobuf";
const jsonPatch = "application/json-patch+json";
const mergePatch = "application/merge-patch+json";
const applyPatch = "application/apply-patch+yaml";

export const installerStyle: DocumentStyle = {
  responseTypes: [...textTypes, protobuf],
  streamTypes: [
    ...textTypes,
    protobuf,
    "application/json;stream=watch",
    `${protobuf};stream=watch`,
  ],
  bodyTypes: ["*/*"],
  patchTypes: [jsonPatch, mergePatch, "application/strategic-merge-patch+json", applyPatch],
  patchCodes: [200, 201],
  getParameters: [],
  deleteCollectionParameters,
  deleteCollectionBody: true,
  watchPaths: true,
  subresourceKind: "own",
};

export const definitionStyle: DocumentStyle = {
  responseTypes: textTypes,
  streamTypes: textTypes,
  bodyTypes: textTypes,
  patchTypes: [jsonPatch, mergePatch, applyPatch],
  patchCodes: [200],
  getParameters: ["resourceVersion"],
  deleteCollectionParameters: listParameters,
  deleteCollectionBody: false,
  watchPaths: false,
  subresourceKind: "parent",
};
