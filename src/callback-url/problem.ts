/** Why the service would block a callback URL (§6.6), a word for programs. */
export type CallbackUrlProblemCode =
  | "notText"
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

/** One thing that is wrong with a callback URL. */
export interface CallbackUrlProblem<Code = CallbackUrlProblemCode> {
  /** Machine-readable code. */
  readonly code: Code;
  /** What is wrong, and what to do. */
  readonly message: string;
}
