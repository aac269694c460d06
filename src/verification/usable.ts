import type { VpaResult } from "./types.ts";

/**
 * Returns true if an account can receive payments: its status is `VALID` and it has at least one VPA
 * (docs/assumptions.md, V4). It does not compare the fields: `name` may be empty, and `vpa` missing from `vpaList`.
 *
 * @param result - A result of `findVpas`, with `vpa`, `vpaList` or both.
 *
 * @example
 * ```ts
 * import { ServiceApi } from "serviceapi";
 * import { isUsable } from "serviceapi/verification";
 *
 * const result = await new ServiceApi().verification.findVpas({ vpa_mobile: "6000000001", consent: "Y" });
 * if (isUsable(result)) console.log(`pay to ${result.vpa || result.vpaList[0]}`);
 * ```
 */
export function isUsable(result: Pick<VpaResult, "accountStatus" | "vpa" | "vpaList">): boolean {
  // A response that has drifted may lack a field, and plain JavaScript may pass anything.
  const { accountStatus, vpa, vpaList }: Partial<typeof result> = Object(result);
  const vpas: readonly unknown[] = [vpa, ...(Array.isArray(vpaList) ? vpaList : [])];
  return (
    accountStatus === "VALID" && vpas.some((candidate) => typeof candidate === "string" && /\S@\S/.test(candidate))
  );
}
