// What a patch is read for: the endpoint's kind, its codec, and what is done about unknown fields.
import type { GroupVersionKind } from "homeostat/api";
import type { FieldValidation } from "../body/read-object.ts";
import type { RequestScope } from "../scope/request-scope.ts";
import type { VersionCodec } from "../../apimachinery/rest/version-codec.ts";

/** The endpoint of a patch. */
export interface PatchTarget {
  readonly scope: RequestScope;
  readonly kind: GroupVersionKind;
  readonly codec: VersionCodec;
  readonly fieldValidation: FieldValidation;
}
