// Credentials of a kubeconfig's user.
// Upstream: k8s.io/client-go/tools/clientcmd/client_config.go (getUserIdentificationPartialConfig),
// validation.go (validateAuthInfo), plugin/pkg/client/auth/plugins_providers.go; tokenFile over
// token: transport/token_source.go.
import type { AuthMethod, ExecPlugin, Impersonation, OidcProvider } from "./cluster-access.ts";
import { kubeconfigError } from "./kubeconfig-error.ts";
import { type Entry, isRecord, shapeError, textField } from "./parse-kubeconfig.ts";
import type { FileAccess } from "./read-tls.ts";

/** How a user authenticates, apart from a client certificate, which is part of TLS. */
export function readAuth(cluster: Entry, user: Entry, options: FileAccess): AuthMethod {
  refuseTwoMethods(user);
  const provider = user.fields["auth-provider"] ? readProvider(user, options) : undefined;
  const tokenFile = textField(user, "user", "tokenFile");
  if (tokenFile !== undefined)
    return { type: "tokenFile", path: options.resolvePath(user.file, tokenFile) };
  const token = textField(user, "user", "token");
  if (token !== undefined) return { type: "token", token };
  const username = textField(user, "user", "username");
  if (username !== undefined)
    return { type: "basic", username, password: textField(user, "user", "password") ?? "" };
  // The provider's token is sent where no other is, also beside a client certificate.
  if (provider) return { type: "oidc", provider };
  const exec = user.fields["exec"];
  const hasCertificate =
    (textField(user, "user", "client-certificate-data") ??
      textField(user, "user", "client-certificate")) !== undefined;
  // A plug-in is for users without other credentials.
  if (exec === undefined || exec === null || hasCertificate) return { type: "none" };
  if (!isRecord(exec))
    throw shapeError(user.file, `user ${JSON.stringify(user.name)}: exec`, "a mapping", exec);
  const config = readExtension(cluster, "client.authentication.k8s.io/exec");
  const proxyUrl = textField(cluster, "cluster", "proxy-url");
  const plugin = {
    ...readExec({ ...user, fields: exec }, options),
    ...(config === undefined ? {} : { config }),
    ...(proxyUrl === undefined ? {} : { proxyUrl }),
    ...(cluster.fields["disable-compression"] === true ? { disableCompression: true } : {}),
  };
  return { type: "exec", plugin };
}

function refuseTwoMethods(user: Entry): void {
  const hasToken = textField(user, "user", "token") !== undefined;
  const hasPassword =
    (textField(user, "user", "username") ?? textField(user, "user", "password")) !== undefined;
  if (!hasToken || !hasPassword) return;
  throw kubeconfigError(
    "ERR_KUBECONFIG_SHAPE",
    `reading ${user.file}: user ${JSON.stringify(user.name)} has a token and a user name with a password`,
    "Remove one of them.",
  );
}

/** Only OpenID Connect is left of the providers that client-go once had. */
function readProvider(user: Entry, { savePath }: FileAccess): OidcProvider {
  const field = user.fields["auth-provider"];
  const where = `user ${JSON.stringify(user.name)}: auth-provider`;
  if (!isRecord(field)) throw shapeError(user.file, where, "a mapping", field);
  if (user.fields["exec"])
    throw kubeconfigError(
      "ERR_KUBECONFIG_SHAPE",
      `reading ${user.file}: user ${JSON.stringify(user.name)} has an auth-provider and an exec plug-in`,
      "Remove one of them.",
    );
  const { name, config = {} } = field;
  if (name !== "oidc")
    throw kubeconfigError(
      "ERR_KUBECONFIG_UNSUPPORTED",
      `reading ${user.file}: ${where}.name: expected oidc, got ${JSON.stringify(name) ?? "nothing"}`,
      "Use an exec plug-in: gke-gcloud-auth-plugin replaces gcp, kubelogin replaces azure.",
    );
  if (!isRecord(config)) throw shapeError(user.file, `${where}.config`, "a mapping", config);
  for (const [key, value] of Object.entries(config))
    if (typeof value !== "string")
      throw shapeError(user.file, `${where}.config.${key}`, "a string", value);
  for (const key of ["idp-issuer-url", "client-id"])
    if (!config[key]) throw shapeError(user.file, `${where}.config.${key}`, "set", config[key]);
  const file = savePath(user.file);
  return {
    config: config as OidcProvider["config"],
    ...(file === undefined ? {} : { savedIn: { file, user: user.name } }),
  };
}

/** What a cluster's entry has for a program, e.g. for a credential plug-in. */
function readExtension(cluster: Entry, name: string): unknown {
  const extensions = cluster.fields["extensions"];
  if (!Array.isArray(extensions)) return undefined;
  const found: unknown = extensions.find((each) => isRecord(each) && each["name"] === name);
  return isRecord(found) ? found["extension"] : undefined;
}

function readExec(entry: Entry, options: FileAccess): ExecPlugin {
  const command = textField(entry, "user", "command");
  const apiVersion = textField(entry, "user", "apiVersion");
  const where = `user ${JSON.stringify(entry.name)}: exec`;
  if (command === undefined)
    throw shapeError(entry.file, `${where}.command`, "the name of a program", command);
  if (
    apiVersion !== "client.authentication.k8s.io/v1" &&
    apiVersion !== "client.authentication.k8s.io/v1beta1"
  ) {
    throw shapeError(
      entry.file,
      `${where}.apiVersion`,
      "client.authentication.k8s.io/v1 or /v1beta1",
      apiVersion,
    );
  }
  const args = entry.fields["args"] ?? [];
  if (!Array.isArray(args) || !args.every((arg) => typeof arg === "string"))
    throw shapeError(entry.file, `${where}.args`, "a list of strings", args);
  const env = entry.fields["env"] ?? [];
  if (!Array.isArray(env))
    throw shapeError(entry.file, `${where}.env`, "a list of { name, value }", env);
  const installHint = textField(entry, "user", "installHint");
  return {
    apiVersion,
    command: /[\\/]/.test(command) ? options.resolvePath(entry.file, command) : command,
    args,
    env: Object.fromEntries(
      env.map((variable, at) => readVariable(entry, `${where}.env[${at}]`, variable)),
    ),
    provideClusterInfo: entry.fields["provideClusterInfo"] === true,
    interactiveMode: readInteractiveMode(entry, where, apiVersion),
    ...(installHint === undefined ? {} : { installHint }),
  };
}

/** v1 requires it; v1beta1 is older than the field. */
function readInteractiveMode(entry: Entry, where: string, apiVersion: string): string {
  const isRequired = apiVersion === "client.authentication.k8s.io/v1";
  const mode = textField(entry, "user", "interactiveMode") ?? (isRequired ? "" : "IfAvailable");
  if (["Never", "IfAvailable", "Always"].includes(mode)) return mode;
  throw shapeError(entry.file, `${where}.interactiveMode`, "Never, IfAvailable or Always", mode);
}

function readVariable(
  { file }: Entry,
  where: string,
  variable: unknown,
): readonly [string, string] {
  const { name, value = "" } = isRecord(variable) ? variable : {};
  if (typeof name !== "string" || name === "")
    throw shapeError(
      file,
      `${where}.name`,
      "the name of a variable",
      isRecord(variable) ? name : variable,
    );
  if (typeof value !== "string") throw shapeError(file, `${where}.value`, "a string", value);
  return [name, value];
}

/** Whom a user's requests impersonate. */
export function readImpersonation(user: Entry): Impersonation | undefined {
  const as = textField(user, "user", "as");
  if (as === undefined) {
    const alone = ["as-uid", "as-groups", "as-user-extra"].find((field) => user.fields[field]);
    if (alone === undefined) return undefined;
    throw kubeconfigError(
      "ERR_KUBECONFIG_SHAPE",
      `reading ${user.file}: user ${JSON.stringify(user.name)} has ${alone} without as`,
      "Add as, the user to impersonate, or remove it.",
    );
  }
  const uid = textField(user, "user", "as-uid");
  const groups = readTexts(user, "as-groups", user.fields["as-groups"]);
  const extra = user.fields["as-user-extra"] ?? {};
  if (!isRecord(extra))
    throw shapeError(
      user.file,
      `user ${JSON.stringify(user.name)}: as-user-extra`,
      "a mapping from keys to lists of strings",
      extra,
    );
  const values = Object.entries(extra).map(
    ([key, value]) => [key, readTexts(user, `as-user-extra.${key}`, value)] as const,
  );
  return {
    user: as,
    groups,
    extra: Object.fromEntries(values),
    ...(uid === undefined ? {} : { uid }),
  };
}

function readTexts({ file, name }: Entry, field: string, value: unknown): readonly string[] {
  const texts = value ?? [];
  if (!Array.isArray(texts) || !texts.every((text) => typeof text === "string"))
    throw shapeError(file, `user ${JSON.stringify(name)}: ${field}`, "a list of strings", texts);
  return texts;
}
