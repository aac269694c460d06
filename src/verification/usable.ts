import type { VpaResult } from "./types.ts";

/** True when an account can be paid to: its status is `VALID` and it has at least one VPA (policy 16). */
export function isUsable(result: VpaResult): boolean {
  return result.accountStatus === "VALID" && (result.vpaList.length > 0 || result.vpa !== "");
}
