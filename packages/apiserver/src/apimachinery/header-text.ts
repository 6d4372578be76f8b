// Header values: Go reads and writes UTF-8, e.g. in a Warning that quotes a client's value, and
// Node passes each byte as one character.

const beyondAscii = /[^\u0000-\u007f]/;

/** Decodes UTF-8, as Go does, from a header that Node decoded as latin1. */
export const headerText = (value: string): string =>
  beyondAscii.test(value) ? Buffer.from(value, "latin1").toString("utf8") : value;

/** Each byte of UTF-8 as one character, for Node to write. */
export const toHeaderBytes = (value: string): string =>
  beyondAscii.test(value) ? Buffer.from(value, "utf8").toString("latin1") : value;
