import { hostOf, isThisMachine } from "../http/control-access.ts";
import type { EmulatedRequest } from "../http/messages.ts";

/** Headers of all that the console sends: no other page can frame it, read it or keep it. */
export const guardingHeaders = {
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "cross-origin-resource-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
  "referrer-policy": "no-referrer",
};

/** Returns the policy of a page that consists of one script and one style sheet. */
export function contentSecurityPolicy(scriptHash: string, styleHash: string): string {
  return [
    "default-src 'none'",
    `script-src '${scriptHash}'`,
    `style-src '${styleHash}'`,
    "connect-src 'self'",
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; ");
}

/**
 * Returns why a browser must not show the console, or undefined if it may. The request has passed `refuseForeign`, which
 * also accepts names that were allowed for other programs, and pages of other ports.
 *
 * @param isPage - Whether it is for the page itself, which a page of another port may link to.
 */
export function refuseViewer({ headers }: EmulatedRequest, isPage: boolean): string | undefined {
  if (!isThisMachine(hostOf(`http://${headers.get("host")}`) ?? "")) {
    return "The console opens only under a loopback name, such as 127.0.0.1 or localhost.";
  }
  const site = headers.get("sec-fetch-site")?.toLowerCase() ?? "none";
  if (!isPage && site !== "same-origin" && site !== "none") return "Only the console reads its updates.";
  return undefined;
}
