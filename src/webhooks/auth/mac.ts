import { concatBytes, toBase64, toHex } from "../../shared/bytes.ts";
import { nodeModule } from "../../shared/node-module.ts";

/** Encoding of a digest. */
export type DigestEncoding = "hex" | "base64" | "base64url";

/** Returns the HMAC SHA-256 of parts, one after another; without a promise if the runtime has node:crypto. */
export type Mac = (encoding: DigestEncoding, parts: readonly Uint8Array[]) => string | Promise<string>;

/**
 * Prepares a key, which costs more than a digest. Uses node:crypto if the runtime has it, which is five times as fast,
 * and WebCrypto otherwise.
 */
export function createMac(secret: Uint8Array): Mac {
  const node = nodeModule<Pick<typeof import("node:crypto"), "createHmac" | "createSecretKey">>("node:crypto");
  if (node === undefined) return createWebMac(secret);
  const key = node.createSecretKey(secret);
  return (encoding, parts) => {
    const hmac = node.createHmac("sha256", key);
    for (const part of parts) hmac.update(part);
    return hmac.digest(encoding);
  };
}

function createWebMac(secret: Uint8Array): Mac {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  let key: Promise<CryptoKey> | undefined;
  return async (encoding, parts) => {
    key ??= crypto.subtle.importKey("raw", new Uint8Array(secret), algorithm, false, ["sign"]);
    const digest = new Uint8Array(await crypto.subtle.sign(algorithm, await key, concatBytes(parts)));
    if (encoding === "hex") return toHex(digest);
    const base64 = toBase64(digest);
    return encoding === "base64" ? base64 : base64.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  };
}

/** Compares two strings in a time that depends only on their length. */
export function equalText(a: string, b: string): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let i = 0; i < a.length; i += 1) difference |= a.charCodeAt(i) ^ b.charCodeAt(i);
  return difference === 0;
}
