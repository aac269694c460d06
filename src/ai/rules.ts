import { defaults } from "../options.ts";

/** The rules of a request (§4.2) and of a response (§2.3) that a schema calls. */

const imagePath = /\.(?:jpe?g|png|webp|gif)$/i;

/** The limit of a `client_referenceId` (§8). */
export const maxReferenceLength = 30;

/** Returns whether a reference is short enough however its characters are counted: no counting finds more of them. */
export function isShortReference(text: string): boolean {
  return text.length <= maxReferenceLength;
}

/** Returns whether a string has more than white space. */
export function isNotBlank(text: string): boolean {
  return text.trim() !== "";
}

/**
 * Returns whether a string is the http or https URL of an image. The extension is that of the path: a signature may
 * follow it as a query, and an extension in the query does not count.
 */
export function isImageUrl(text: string): boolean {
  if (!/^https?:\/\/[^\s\\]+$/i.test(text)) return false;
  return URL.canParse(text) && imagePath.test(new URL(text).pathname);
}

/** Returns whether a string is `svc_` followed by letters and digits. */
export function isContextToken(text: string): boolean {
  return defaults.validation.contextToken.test(text);
}

/** Returns whether a `response_status` is that of a whole response (§2.3). */
export function isCompleted(status: string): boolean {
  return status === "completed";
}
