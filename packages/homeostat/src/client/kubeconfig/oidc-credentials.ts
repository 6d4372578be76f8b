// The id token of a kubeconfig's auth-provider "oidc": sent while it is valid, refreshed when it is
// not, and written back.
// Upstream: k8s.io/client-go/plugin/pkg/client/auth/oidc/oidc.go. Unlike there, a token that
// another program has written back meanwhile is taken from the file, because providers may accept a
// refresh token only once.
import type { Runtime } from "../../runtime/runtime.ts";
import type { OidcProvider } from "./cluster-access.ts";
import { kubeconfigError } from "./kubeconfig-error.ts";
import {
  type AskProvider,
  type AuthStyle,
  discoveryUrl,
  isValidToken,
  type OidcTokens,
  type ProviderRequest,
  readTokenEndpoint,
  readTokens,
  refreshRequest,
} from "./oidc-tokens.ts";
import { readAuthProvider, saveAuthProvider } from "./saved-auth-provider.ts";

export interface OidcOptions {
  readonly runtime: Runtime;
  readonly readFile: (path: string) => Promise<string>;
  readonly ask: AskProvider;
}

/** Keeps the tokens of one user; concurrent requests share one refresh. */
export class OidcCredentials {
  readonly #provider: OidcProvider;
  readonly #options: OidcOptions;
  #config: OidcProvider["config"];
  #refreshing: Promise<string> | undefined;
  #style: AuthStyle | undefined;

  constructor(provider: OidcProvider, options: OidcOptions) {
    this.#provider = provider;
    this.#options = options;
    this.#config = provider.config;
  }

  async headers(): Promise<Readonly<Record<string, string>>> {
    this.#refreshing ??= this.#token().finally(() => (this.#refreshing = undefined));
    return { authorization: `Bearer ${await this.#refreshing}` };
  }

  /** As client-go, which refreshes tokens only when they expire. */
  rejected(): Promise<boolean> {
    return Promise.resolve(false);
  }

  async #token(): Promise<string> {
    try {
      const held = this.#valid(this.#config);
      if (held !== undefined) return held;
      this.#config = { ...this.#config, ...(await readAuthProvider(this.#provider.savedIn)) };
      return this.#valid(this.#config) ?? (await this.#refresh());
    } catch (cause) {
      const { savedIn, config } = this.#provider;
      const whose = savedIn ? ` of user ${JSON.stringify(savedIn.user)} in ${savedIn.file}` : "";
      throw kubeconfigError(
        "ERR_KUBECONFIG_OIDC",
        `getting the id-token${whose} from ${config["idp-issuer-url"]}: ${(cause as Error).message}`,
        "Log in again with the program that wrote id-token and refresh-token, or correct auth-provider.",
        cause,
      );
    }
  }

  #valid({ "id-token": idToken }: OidcProvider["config"]): string | undefined {
    if (!idToken) return undefined;
    return isValidToken(idToken, this.#options.runtime.clock.now()) ? idToken : undefined;
  }

  async #refresh(): Promise<string> {
    const { "refresh-token": refreshToken, "idp-issuer-url": issuer = "" } = this.#config;
    if (!refreshToken)
      throw new Error("it has expired or is missing, and there is no refresh-token");
    if (!URL.canParse(issuer)) throw new Error("idp-issuer-url is no URL");
    const ca = await this.#authorities();
    const { ask } = this.#options;
    const url = readTokenEndpoint(await ask({ url: discoveryUrl(issuer), ca }));
    const { idToken, refreshToken: next } = await this.#requestTokens({ url, ca }, refreshToken);
    if (idToken === undefined)
      throw new Error(
        'its answer has no id_token: either the scope "openid" was not requested at login, or the provider sends none with a refresh',
      );
    const changes = {
      "id-token": idToken,
      ...(next === undefined ? {} : { "refresh-token": next }),
    };
    await saveAuthProvider(this.#provider.savedIn, changes, this.#options.runtime.clock);
    this.#config = { ...this.#config, ...changes };
    return idToken;
  }

  /** Tries the header first, as RFC 6749 has it, then the form. */
  async #requestTokens(to: ProviderRequest, refreshToken: string): Promise<OidcTokens> {
    const { "client-id": id = "", "client-secret": secret = "" } = this.#config;
    const request = async (style: AuthStyle): Promise<OidcTokens> => {
      const body = refreshRequest(refreshToken, { id, secret }, style);
      const tokens = readTokens(await this.#options.ask({ ...to, ...body }));
      this.#style = style;
      return tokens;
    };
    if (this.#style) return request(this.#style);
    return request("header").catch(() => request("form"));
  }

  async #authorities(): Promise<string | undefined> {
    const { "idp-certificate-authority-data": data, "idp-certificate-authority": file } =
      this.#config;
    if (data) return Buffer.from(data, "base64").toString("utf8");
    return file ? this.#options.readFile(file) : undefined;
  }
}
