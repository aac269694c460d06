import type { ApiErrorKind } from "../../errors/base.ts";

/** The code and message of a refusal. */
export interface CodeAndMessage {
  readonly code: number;
  readonly message: string;
}

/** Code and message of a refusal of each kind, as the emulator writes them wherever it refuses. */
export const refusalsByKind = {
  authentication: { code: 401, message: "Authentication failed." },
  permission: { code: 403, message: "IP address is not registered." },
  not_found: { code: 404, message: "Not found." },
  invalid: { code: 400, message: "Invalid request." },
  session_expired: { code: 400, message: "Invalid or expired token" },
  offer_unavailable: { code: 400, message: "Flight no longer available" },
  trace_mismatch: { code: 400, message: "trace_id does not match" },
  duplicate: { code: 409, message: "Booking already confirmed with the same criteria." },
  in_progress: { code: 202, message: "Booking is in progress." },
  insufficient_balance: { code: 402, message: "Insufficient balance." },
  rate_limited: { code: 429, message: "Too many requests" },
  unavailable: { code: 503, message: "Service temporarily unavailable." },
  // A code that nothing documents.
  unknown: { code: 460, message: "The request was refused." },
} as const satisfies Readonly<Record<ApiErrorKind, CodeAndMessage>>;
