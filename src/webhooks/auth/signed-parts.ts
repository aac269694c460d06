import { ConfigurationError } from "../../errors/request.ts";
import { WebhookAuthError } from "../../errors/webhook.ts";
import { ignoreRejection } from "../../shared/promises.ts";

/** The parts of a delivery that a signature can cover. A part that is not configured is an empty string. */
export interface SignedParts {
  /** The raw bytes of the body. */
  readonly body: Uint8Array;
  /** The value of `timestampHeader`, or of the timestamp in `fields`. */
  readonly timestamp: string;
  /** The value of `idHeader`, or of the id in `fields`. */
  readonly id: string;
  /** The value of `nonceHeader`, or of the nonce in `fields`. */
  readonly nonce: string;
}

/** The parts before the body, joined by dots. */
export const signedPresets = {
  body: [],
  "timestamp.body": ["timestamp"],
  "id.timestamp.body": ["id", "timestamp"],
  "timestamp.nonce.body": ["timestamp", "nonce"],
  "nonce.timestamp.body": ["nonce", "timestamp"],
} as const satisfies Readonly<Record<string, readonly Exclude<keyof SignedParts, "body">[]>>;

/** The signed parts, by name. */
export type SignedPreset = keyof typeof signedPresets;

/** Returns the signed content. It is trusted: cover everything that must not be changed. */
export type SignedFunction = (parts: SignedParts) => string | Uint8Array;

const utf8 = (text: string) => new TextEncoder().encode(text);

/** The signed content, in one or two pieces. */
export function signedContent(signed: SignedPreset | SignedFunction, parts: SignedParts): readonly Uint8Array[] {
  if (typeof signed === "function") return [ownContent(signed, parts)];
  const before = signedPresets[signed];
  return before.length === 0 ? [parts.body] : [utf8(`${before.map((part) => parts[part]).join(".")}.`), parts.body];
}

function ownContent(signed: SignedFunction, parts: SignedParts): Uint8Array {
  let content: unknown;
  try {
    content = signed(parts);
  } catch (cause) {
    throw new WebhookAuthError({
      reason: "signatureMismatch",
      message: "The function `signed` threw.",
      cause,
    });
  }
  if (typeof content === "string") return utf8(content);
  // Not `instanceof`: Jest gives test files a Uint8Array of their own.
  if (ArrayBuffer.isView(content)) return new Uint8Array(content.buffer, content.byteOffset, content.byteLength);
  ignoreRejection(content);
  throw new ConfigurationError("hmac: the function `signed` must return a string or a Uint8Array.");
}
