// Errors of kubeconfigs. The codes are a closed set, so that docs and tests can list them.
import { HomeostatError } from "../../util/homeostat-error.ts";

/** All error codes of kubeconfigs. */
export type KubeconfigErrorCode =
  | "ERR_KUBECONFIG_NOT_FOUND"
  | "ERR_KUBECONFIG_UNREADABLE"
  | "ERR_KUBECONFIG_SYNTAX"
  | "ERR_KUBECONFIG_SHAPE"
  | "ERR_KUBECONFIG_NO_CONTEXT"
  | "ERR_KUBECONFIG_NO_CLUSTER"
  | "ERR_KUBECONFIG_NO_USER"
  | "ERR_KUBECONFIG_SERVER"
  | "ERR_KUBECONFIG_BASE64"
  | "ERR_KUBECONFIG_PEM"
  | "ERR_KUBECONFIG_UNSUPPORTED"
  | "ERR_KUBECONFIG_EXEC"
  | "ERR_KUBECONFIG_OIDC"
  | "ERR_KUBECONFIG_TOKEN_FILE"
  | "ERR_KUBECONFIG_NOT_IN_CLUSTER";

/** Creates an error; `message` names file and entry, what was expected and what came. */
export function kubeconfigError(
  code: KubeconfigErrorCode,
  message: string,
  hint: string,
  cause?: unknown,
): HomeostatError<KubeconfigErrorCode> {
  return new HomeostatError(code, message, cause === undefined ? { hint } : { hint, cause });
}
