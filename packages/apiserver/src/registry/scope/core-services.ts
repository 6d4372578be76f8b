// The services that handlers use: the store, the clock, the catalog, and caches over them.
import type { GroupVersionKind } from "homeostat/api";
import type { Runtime } from "homeostat/runtime";
import type { TokenIssuer } from "../../apimachinery/rest/token-issuer.ts";
import type { Store } from "../../storage/store.ts";
import type { Authorization } from "../../apimachinery/authorizer.ts";
import type { Admission } from "../../apimachinery/rest/admission.ts";
import type { ProtobufCodec } from "../../apimachinery/rest/protobuf-codec.ts";
import type { ResourceCatalog } from "../../apimachinery/rest/resource-catalog.ts";
import type { ReviewCaller } from "../../apimachinery/rest/review.ts";
import type { VersionCodec } from "../../apimachinery/rest/version-codec.ts";
import type { Frames } from "../revisions/watch-frames.ts";
import type { OpenWatches } from "./open-watches.ts";
import type { ConvertedRevisions } from "../revisions/converted-revisions.ts";
import type { Representations } from "../revisions/representations.ts";
import type { TableRows } from "../revisions/table-rows.ts";
import type { FieldManagers } from "../managed-fields/field-managers.ts";

/**
 * All registered kinds, beyond those served: lists, options, reviews. Decides between two error
 * messages.
 */
export interface KindRegistry {
  /**
   * The Go type that a kind is registered as in the scheme of the endpoints of `group`, e.g.
   * `v1.Pod`; undefined if it is not.
   */
  goTypeOf(kind: GroupVersionKind, group: string): string | undefined;
  /**
   * The group that now serves a kind of a version that is registered and no longer served.
   * Undefined for other versions.
   */
  groupOfRetired(kind: GroupVersionKind): string | undefined;
}

/** The services of one server core. */
export interface CoreServices {
  readonly store: Store;
  readonly runtime: Runtime;
  readonly catalog: ResourceCatalog;
  readonly representations: Representations;
  /** The rows of listed Tables. */
  readonly tableRows: TableRows;
  readonly conversions: ConvertedRevisions;
  readonly frames: Frames;
  readonly openWatches: OpenWatches;
  readonly fieldManagers: FieldManagers;
  readonly authorization: Authorization;
  readonly admission: Admission;
  readonly kinds: KindRegistry;
  /** Reads and writes autoscaling/v1 Scale; without one, scale endpoints answer 501. */
  readonly scaleCodec: VersionCodec | undefined;
  readonly protobuf: ProtobufCodec | undefined;
  readonly tokens: TokenIssuer;
  /** Authenticates a bearer token. */
  readonly reviewToken: ReviewCaller["reviewToken"];
}
