import type { DescriptionList } from "../shared/description-list.ts";

/** Values in a request that choose its response, as the command prints them. docs/emulator.md lists all of them. */
export const testValues: readonly DescriptionList[] = [
  {
    title: "Credentials that fail",
    items: [
      ["wrong-secret", "as client-secret: HTTP 401"],
      ["blocked-ip", "as client-id: HTTP 403"],
    ],
  },
  {
    title: "Mobile numbers by their last digits",
    items: [
      ["0001 0002", "three VPAs, one VPA"],
      ["0003 0004 0005", "unknown account status, inconsistent list, statusCode as a number"],
      ["0102 0404", "pending, no UPI ID"],
      ["0429 0504", "HTTP 429 twice and then success, no response"],
    ],
  },
  {
    title: "AI texts that begin with (in serviceapi chat with //, such as //fail)",
    items: [
      ["/fail /truncate", "FAILED in the middle, cut off before the end"],
      ["/swap /swapfirst /gaps /duplicate", "chunks out of order, the first one too, numbered with gaps, sent twice"],
      ["/framing:<name>", "sse, sse-crlf, sse-cr, ndjson, array, concatenated and more"],
      ["/stall:<ms> /bytes:<n>", "a pause after the second chunk, n bytes at a time"],
    ],
  },
  {
    title: "Last names of a passenger",
    items: [
      ["PRICECHANGE TIMECHANGE", "booked at a higher price, at a later time"],
      ["NOSEAT NOPNR WAITLIST", "booked without the seats, without a PNR, not confirmed"],
      ["TIMEOUTBOOKED", "booked, but the connection is dropped"],
      ["TIMEOUTNOTBOOKED", "not booked, and the connection is dropped"],
    ],
  },
];
