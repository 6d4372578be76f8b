// The error of a connection that is reset.

export const resetError = (): Error =>
  Object.assign(new Error("the connection was reset"), { code: "ECONNRESET" });
