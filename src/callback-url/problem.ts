/** A machine-readable code for why the service would block a callback URL (§6.6). */
export type CallbackUrlProblemCode =
  | "notString"
  | "tooLong"
  | "hostTooLong"
  | "whiteSpace"
  | "invisibleCharacter"
  | "backslash"
  | "malformed"
  | "notHttps"
  | "userInfo"
  | "encodedHost"
  | "wideCharacter"
  | "port"
  | "ipAddress"
  | "notPublic"
  | "notBrandDomain"
  | "tooDeep"
  | "notWebsiteDomain"
  | "freeHosting"
  | "urlShortener";

/** One problem of a callback URL. */
export interface CallbackUrlProblem<Code = CallbackUrlProblemCode> {
  /** A machine-readable code. */
  readonly code: Code;
  /** Description of the problem, and what to do about it. */
  readonly message: string;
}

/** @param what - What is wrong, after "The callback URL". */
export function problem<Code extends string>(code: Code, what: string): CallbackUrlProblem<Code> {
  return { code, message: `The callback URL ${what}.` };
}
