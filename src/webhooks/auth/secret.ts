import { ConfigurationError } from "../../errors/request.ts";
import { createMac, type Mac } from "./mac.ts";

/** One prepared key for each secret. Empty and badly copied secrets are refused here, once. */
export function prepareSecrets(owner: string, secrets: readonly (string | Uint8Array)[]): readonly Mac[] {
  if (!Array.isArray(secrets) || secrets.length === 0) {
    throw new ConfigurationError(`${owner}: \`secrets\` must be a list with at least one secret.`);
  }
  return secrets.map((secret) =>
    createMac(typeof secret === "string" ? fromText(owner, secret) : fromBytes(owner, secret)),
  );
}

function fromText(owner: string, secret: string): Uint8Array {
  if (secret.trim() === "") throw empty(owner);
  if (secret !== secret.trim()) {
    throw new ConfigurationError(
      `${owner}: a secret begins or ends with white space, which a file or a copy often adds. Use secret.trim().`,
    );
  }
  return new TextEncoder().encode(secret);
}

function fromBytes(owner: string, secret: unknown): Uint8Array {
  if (!(secret instanceof Uint8Array) || secret.length === 0) throw empty(owner);
  return secret;
}

function empty(owner: string): ConfigurationError {
  return new ConfigurationError(`${owner}: a secret is missing or empty. Is its environment variable set?`);
}
