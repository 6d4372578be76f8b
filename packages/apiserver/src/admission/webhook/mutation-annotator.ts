// The audit annotations of one call of a mutating webhook: whether it changed the object, by which
// patch, and whether its failure was ignored.
// Upstream: k8s.io/apiserver/pkg/admission/plugin/webhook/mutating/dispatcher.go
// (webhookAnnotator).
import { encodeJson, parseExact } from "homeostat/api";
import type { AdmissionAudit } from "../../apimachinery/audit.ts";
import type { RegisteredWebhook } from "./webhook-source.ts";

/** Annotates one call. */
export interface MutationAnnotator {
  called(isChanged: boolean): void;
  /** `patch`: the JSON patch as text. */
  patched(patch: string): void;
  failedOpen(): void;
}

/** `index`: the place of the webhook among all registered ones. */
export function createMutationAnnotator(
  audit: AdmissionAudit,
  { configuration, name }: RegisteredWebhook,
  { round, index }: { readonly round: number; readonly index: number },
): MutationAnnotator {
  const at = `round_${round}_index_${index}`;
  const head = `{"configuration":${encodeJson(configuration)},"webhook":${encodeJson(name)}`;
  return {
    called(isChanged) {
      audit.annotate(`mutation.webhook.admission.k8s.io/${at}`, `${head},"mutated":${isChanged}}`);
    },
    patched(patch) {
      const value = `${head},"patch":${formatPatch(patch)},"patchType":"JSONPatch"}`;
      audit.annotate(`patch.webhook.admission.k8s.io/${at}`, value, "Request");
    },
    failedOpen() {
      audit.annotate(`failed-open.mutation.webhook.admission.k8s.io/${at}`, name);
    },
  };
}

/** The members of each operation in bytewise order. */
function formatPatch(patch: string): string {
  return encodeJson(parseExact(patch));
}
