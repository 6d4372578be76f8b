// Prints values of the internal Go types of all kinds, as the server does.
import { readKindData } from "../../apimachinery/kind-data/read-kind-data.ts";
import { schemaConversions } from "../apiextensions/custom-resource-definition.ts";
import { pod } from "../core/pod/pod.ts";
import { createInternalPrinter } from "./print-internal.ts";

export const printInternal = createInternalPrinter(() => readKindData("1.36").layout(), {
  ...pod.conversions,
  ...schemaConversions,
});
