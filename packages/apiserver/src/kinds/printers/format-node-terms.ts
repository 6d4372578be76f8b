// Prints the terms of a node selector as upstream's error messages do.
// Upstream: k8s.io/kubernetes/pkg/apis/core/types.go (NodeSelectorTerm).
import type { Json } from "homeostat/api";
import { formatStruct, goList, goPointer, goText, type StructField } from "./format-struct.ts";

const requirement: readonly StructField[] = [
  ["Key", "key", goText],
  ["Operator", "operator", goText],
  ["Values", "values", goPointer],
];
const requirements = goList((value) => formatStruct(value, requirement));
const term: readonly StructField[] = [
  ["MatchExpressions", "matchExpressions", requirements],
  ["MatchFields", "matchFields", requirements],
];

/** One of `nodeSelectorTerms`. */
export const formatNodeTerm = (value: Json | undefined): string => formatStruct(value, term);
/** `nodeSelectorTerms`. */
export const formatNodeTerms: (value: Json | undefined) => string = goList(formatNodeTerm);
