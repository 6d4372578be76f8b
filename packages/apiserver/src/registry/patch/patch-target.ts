// What a patch is read for: the endpoint's kind, its codec, and what is done about unknown fields.
import type { GroupVersionKind } from "homeostat/api";
import type { FieldValidation } from "../body/read-object.ts";
import type { Call } from "../call.ts";
import type { VersionCodec } from "../served-resource.ts";

/** The endpoint of a patch. */
export interface PatchTarget {
  readonly call: Call;
  readonly kind: GroupVersionKind;
  readonly codec: VersionCodec;
  readonly fieldValidation: FieldValidation;
}
