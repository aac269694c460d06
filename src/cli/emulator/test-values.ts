import type { Section } from "../format-table.ts";

/** What a request can hold to choose its answer, for a person in front of a terminal. docs/emulator.md has them all. */
export const testValues: readonly Section[] = [
  {
    title: "Credentials that fail",
    rows: [
      ["wrong-secret", "as client-secret: authentication failure"],
      ["blocked-ip", "as client-id: HTTP 403"],
    ],
  },
  {
    title: "Mobile numbers by their last digits",
    rows: [
      ["0001 0002", "three VPAs, one VPA"],
      ["0003 0004 0005", "unknown account status, inconsistent, statusCode as a number"],
      ["0102 0404", "pending, no UPI ID"],
      ["0429 0504", "HTTP 429 twice and then success, no answer"],
    ],
  },
  {
    title: "AI texts that begin with",
    rows: [
      ["/fail /truncate", "FAILED in the middle, cut off without an end"],
      ["/swap /swapfirst /gaps /duplicate", "chunks out of order, also the first; numbered with gaps; repeated"],
      ["/framing:<name>", "sse, sse-crlf, sse-cr, ndjson, array, concatenated and more"],
      ["/stall:<ms> /bytes:<n>", "a pause between two chunks, n bytes at a time"],
    ],
  },
  {
    title: "Last names of a passenger",
    rows: [
      ["PRICECHANGE TIMECHANGE", "booked at another price, at another time"],
      ["NOSEAT NOPNR WAITLIST", "seats refused, no PNR, not confirmed"],
      ["TIMEOUTBOOKED", "booked, and the connection dropped"],
      ["TIMEOUTNOTBOOKED", "not booked, and the connection dropped"],
    ],
  },
];
