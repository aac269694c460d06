import type { Assumption } from "./assumption.ts";
import { aiRows } from "./rows/ai.ts";
import { envelopeRows } from "./rows/envelope.ts";
import { flightRows } from "./rows/flights.ts";
import { responseRows } from "./rows/responses.ts";
import { transportRows } from "./rows/transport.ts";
import { verificationRows } from "./rows/verification.ts";

/** Every assumption that harmless calls can show to be kept or broken. */
export const assumptions: readonly Assumption[] = [
  ...transportRows,
  ...envelopeRows,
  ...responseRows,
  ...verificationRows,
  ...aiRows,
  ...flightRows,
];

/** The rows of docs/assumptions.md that these calls cannot show, by the reason. */
export const unobservable: readonly { readonly reason: string; readonly ids: readonly string[] }[] = [
  {
    reason: "the service sends webhooks to your endpoint: npx serviceapi webhook tests it",
    ids: Array.from({ length: 21 }, (_, index) => `W${index + 1}`),
  },
  { reason: "checked before anything is sent, by npx serviceapi doctor", ids: ["T2", "T4"] },
  { reason: "this command does not run in a browser", ids: ["T5"] },
  { reason: "each call is made once here, without retries", ids: ["D2", "D5", "D8"] },
  {
    reason: "only a booking shows it, and this command never books",
    ids: [
      "D7",
      "F1",
      "F5",
      "F6",
      "F7",
      "F8",
      "F9",
      "F10",
      "F14",
      "F15",
      "F16",
      "F17",
      "F18",
      "F19",
      "F20",
      "F21",
    ].concat(["F25", "F26", "F28", "F29", "F30", "F31"]),
  },
  {
    reason: "only a call without a consent, with other images or with a broken text shows it",
    ids: ["V1", "I7", "I9"],
  },
  { reason: "only a conversation after a response that failed shows it", ids: ["I8"] },
  { reason: "only a search of known age shows it", ids: ["F2", "F27"] },
  { reason: "the time zone of a city is on no response", ids: ["F23", "F24"] },
  { reason: "it is about what the library does, whatever the service sends", ids: ["A7", "A9", "A10", "F13", "F32"] },
];
