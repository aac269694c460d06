import type { PayoutStatus } from "./events.ts";

/** The status code of each status: of events (§6.2), and of acknowledgements (§6.3), which know no `REJECTED`. */
export const statusCodes = {
  SUCCESS: "200",
  FAILED: "400",
  DUPLICATE: "208",
  REJECTED: "422",
} as const satisfies Record<PayoutStatus, string>;
