// Asks the API server who has a token, and what a user may do; with how long the answer holds,
// which is as long as with controller-runtime.
import { createHash } from "node:crypto";
import type { Client } from "../../client/client.ts";
import type { UserInfo } from "../../k8s/authentication/v1/models.ts";
import type {
  SubjectAccessReviewSpec,
  SubjectAccessReviewStatus,
} from "../../k8s/authorization/v1/models.ts";

const tokenMs = 60_000;
const allowedMs = 300_000;
const deniedMs = 30_000;
const reviewTimeoutMs = 10_000;

/** Tokens and questions are kept as hashes: clients choose their length. */
export const hash = (text: string): string => createHash("sha256").update(text).digest("base64");

/** Who has this token; undefined for one that is not valid. */
export async function reviewToken(client: Client, token: string) {
  const status = await review(client, "authentication.k8s.io", "TokenReview", { token });
  const { authenticated, user = {} } = status as {
    readonly authenticated?: boolean;
    readonly user?: UserInfo;
  };
  const groups = new Set([...(user.groups ?? []), "system:authenticated"]);
  const value = authenticated === true ? { ...user, groups: [...groups] } : undefined;
  return { value, holdsMs: tokenMs };
}

/** Whether a user may do something. */
export async function reviewAccess(
  client: Client,
  { username: user, uid, groups, extra }: UserInfo,
  attributes: Pick<SubjectAccessReviewSpec, "nonResourceAttributes" | "resourceAttributes">,
) {
  const spec = { user, uid, groups, extra, ...attributes };
  const status = await review(client, "authorization.k8s.io", "SubjectAccessReview", spec);
  const { allowed, denied } = status as SubjectAccessReviewStatus;
  const value = allowed === true && denied !== true;
  return { value, holdsMs: value ? allowedMs : deniedMs };
}

/** The status of a review. Rejects when the server does not answer it. */
async function review(client: Client, group: string, kind: string, spec: object): Promise<object> {
  const apiVersion = `${group}/v1`;
  const response = await client.request(
    {
      method: "POST",
      path: `/apis/${apiVersion}/${kind.toLowerCase()}s`,
      body: { apiVersion, kind, spec: JSON.parse(JSON.stringify(spec)) },
    },
    { totalTimeoutMs: reviewTimeoutMs },
  );
  return (response.json() as { readonly status?: object }).status ?? {};
}
