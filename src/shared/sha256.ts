import { nodeModule } from "./node-module.ts";

/** Returns the SHA-256 of a string in UTF-8. Prefers Node's WebCrypto: that of jsdom has no `subtle`. */
export async function sha256(text: string): Promise<Uint8Array> {
  const { subtle } = nodeModule<{ webcrypto: Crypto }>("node:crypto")?.webcrypto ?? crypto;
  return new Uint8Array(await subtle.digest("SHA-256", new TextEncoder().encode(text)));
}
