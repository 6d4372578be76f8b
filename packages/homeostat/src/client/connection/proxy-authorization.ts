// How a client names itself to an HTTP proxy: RFC 9110 11.7.2, Basic as Go sends it.

/** The header that names the user of an HTTP proxy; undefined if its address names none. */
export function proxyAuthorization({ username, password }: URL): string | undefined {
  if (username === "" && password === "") return undefined;
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return `Basic ${Buffer.from(pair).toString("base64")}`;
}
