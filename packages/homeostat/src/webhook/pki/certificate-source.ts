// Where the server's certificate comes from. Sources are asked again and again; they never push.
import type { KeyPair } from "../../certificates/authority.ts";

/** What a source is told of the API server. */
export interface Published {
  /** True when every caBundle holds these certificates. */
  isPublished(bundle: string): boolean;
  /** What caBundles hold, as PEM. */
  trusted(): string;
}

/** A source of certificates. */
export interface CertificateSource {
  /** Brings certificates up to date; resolves to the time until the next call. */
  pass(published: Published): Promise<number>;
  /** What to serve with now; undefined while there is none. */
  pair(): KeyPair | undefined;
  /** What caBundles are to hold; undefined when they are not ours to write. */
  bundle(): string | undefined;
  stop(): void;
}
