// The protocol of OpenID Connect as far as kubeconfigs need it: is an id token still valid, and how
// is it refreshed. Pure.
// Upstream: k8s.io/client-go/plugin/pkg/client/auth/oidc/oidc.go, golang.org/x/oauth2
// (internal/token.go); RFC 6749 section 6.
import { isRecord } from "./parse-kubeconfig.ts";

/** A token counts as expired so long before it expires. */
const spareMs = 10_000;

/** One request to an identity provider, and what it answers. */
export interface ProviderRequest {
  readonly url: string;
  /** Trusted authorities; the system's when absent. */
  readonly ca: string | undefined;
  /** The form to post; a GET without one. */
  readonly form?: string;
  readonly authorization?: string;
}
export interface ProviderAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}
export type AskProvider = (request: ProviderRequest) => Promise<ProviderAnswer>;

/** Who asks for tokens. */
export interface ProviderClient {
  readonly id: string;
  readonly secret: string;
}

/** Tokens of an answer; `refreshToken` is absent when the old one stays. */
export interface OidcTokens {
  readonly idToken?: string;
  readonly refreshToken?: string;
}

/** @throws Error if it is no JWT */
export function isValidToken(idToken: string, now: number): boolean {
  const parts = idToken.split(".");
  if (parts.length !== 3) throw new Error("the id-token is no JWT");
  const claims = parseJson(Buffer.from(parts[1]!, "base64url"));
  if (!isRecord(claims)) throw new Error("the id-token is no JWT: its claims are no JSON object");
  const { exp } = claims;
  return typeof exp === "number" && now + spareMs < Math.trunc(exp) * 1000;
}

/** Where the provider describes itself. */
export const discoveryUrl = (issuer: string): string =>
  `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;

/** The address for tokens, from the provider's description. @throws Error */
export function readTokenEndpoint({ status, body }: ProviderAnswer): string {
  if (status !== 200) throw new Error(`its description was answered with ${status}${quote(body)}`);
  const metadata = parseJson(body);
  const endpoint = isRecord(metadata) ? metadata["token_endpoint"] : undefined;
  if (typeof endpoint !== "string" || endpoint === "")
    throw new Error("its description has no token_endpoint");
  return endpoint;
}

/** Providers take the client's name and secret in the header, or in the form. */
export type AuthStyle = "header" | "form";

/** The request for new tokens. */
export function refreshRequest(
  refreshToken: string,
  { id, secret }: ProviderClient,
  style: AuthStyle,
): Pick<ProviderRequest, "form" | "authorization"> {
  const fields = { grant_type: "refresh_token", refresh_token: refreshToken };
  if (style === "form")
    return {
      form: encodeForm({ client_id: id, ...(secret && { client_secret: secret }), ...fields }),
    };
  const basic = Buffer.from(`${encodeText(id)}:${encodeText(secret)}`).toString("base64");
  return { form: encodeForm(fields), authorization: `Basic ${basic}` };
}

/** @throws Error when the answer holds no tokens */
export function readTokens({ status, headers, body }: ProviderAnswer): OidcTokens {
  const [type = ""] = (headers["content-type"] ?? "").split(";");
  const isForm = ["application/x-www-form-urlencoded", "text/plain"].includes(type.trim());
  const text = Buffer.from(body).toString("utf8");
  const answer = isForm ? Object.fromEntries(new URLSearchParams(text)) : parseJson(body);
  const fields = isRecord(answer) ? answer : {};
  const fault = fields["error"];
  if (status < 200 || status > 299 || fault) {
    const description = fields["error_description"];
    const why = fault
      ? `: ${String(fault)}${description ? ` (${String(description)})` : ""}`
      : quote(body);
    throw new Error(`it answered ${status}${why}`);
  }
  if (!fields["access_token"]) throw new Error("its answer has no access_token");
  const { id_token: idToken, refresh_token: refreshToken } = fields;
  return {
    ...(typeof idToken === "string" ? { idToken } : {}),
    ...(typeof refreshToken === "string" && refreshToken ? { refreshToken } : {}),
  };
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString("utf8"));
  } catch {
    return undefined;
  }
}

/** The beginning of an unexpected answer. */
function quote(body: Uint8Array): string {
  const text = Buffer.from(body).toString("utf8").trim();
  return text === "" ? "" : `: ${text.slice(0, 80)}`;
}

const encodeForm = (fields: Readonly<Record<string, string>>): string =>
  Object.entries(fields)
    .map(([name, value]) => `${name}=${encodeText(value)}`)
    .join("&");

/** As Go's QueryEscape. */
const encodeText = (text: string): string =>
  encodeURIComponent(text)
    .replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll("%20", "+");
