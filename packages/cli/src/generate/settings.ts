// What the code of an operator does not say about its place on a cluster.
import type { PermissionOptions } from "homeostat";

/** Given on the command line. */
export interface GenerateSettings extends PermissionOptions {
  readonly image: string;
  readonly namespace: string;
}

/** The label by which the operator's parts are found. */
export const labelsOf = (operator: string): Readonly<Record<string, string>> => ({
  "app.kubernetes.io/name": operator,
});
