import type { VpaResult } from "./types.ts";

/**
 * True when an account can be paid to: its status is `VALID` and it has at least one VPA (docs/assumptions.md, V4).
 *
 * @param result - What `findVpas` gave. Of `vpa` and `vpaList` one may be missing: either will do.
 *
 * @example
 * ```ts
 * import { ServiceApi } from "serviceapi";
 * import { isUsable } from "serviceapi/verification";
 *
 * const result = await new ServiceApi().verification.findVpas({ vpa_mobile: "6000000001", consent: "Y" });
 * if (isUsable(result)) console.log(`pay to ${result.vpa}`);
 * ```
 */
export function isUsable({
  accountStatus,
  vpa,
  vpaList,
}: Pick<VpaResult, "accountStatus" | "vpa" | "vpaList">): boolean {
  const vpas: readonly unknown[] = [vpa, ...(Array.isArray(vpaList) ? vpaList : [])];
  return accountStatus === "VALID" && vpas.some((candidate) => typeof candidate === "string" && candidate !== "");
}
