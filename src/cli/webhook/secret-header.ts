import { isCredentialHeader } from "../../transport/redact.ts";

/** Returns whether the value of a header is a secret. A signature is not: it proves one body, and shows what is wrong. */
export function isSecretHeader(name: string): boolean {
  return isCredentialHeader(name) && !/signature/i.test(name);
}
