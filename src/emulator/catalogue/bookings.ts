import allFlagsChangedSeatsFailed from "../samples/flight/book/success-all-flags-changed-seats-failed.json" with {
  type: "json",
};
import fullServiceHeld from "../samples/flight/book/success-full-service-held.json" with { type: "json" };
import internationalFamily from "../samples/flight/book/success-international-family.json" with { type: "json" };
import lcc from "../samples/flight/book/success-lcc.json" with { type: "json" };
import priceChanged from "../samples/flight/book/success-price-changed.json" with { type: "json" };
import segmentNotConfirmed from "../samples/flight/book/success-segment-not-confirmed.json" with { type: "json" };
import silentPriceDifference from "../samples/flight/book/success-silent-price-difference.json" with { type: "json" };
import timeChanged from "../samples/flight/book/success-time-changed.json" with { type: "json" };
import withoutPnr from "../samples/flight/book/success-without-pnr.json" with { type: "json" };

/** The name of a sample of a booking. */
export type BookingSampleName =
  | "success-all-flags-changed-seats-failed"
  | "success-full-service-held"
  | "success-international-family"
  | "success-lcc"
  | "success-price-changed"
  | "success-segment-not-confirmed"
  | "success-silent-price-difference"
  | "success-time-changed"
  | "success-without-pnr";

/** Bookings by name (§2.8). The document shows only the ordinary ones. */
export const bookingSamples: Readonly<Record<BookingSampleName, Readonly<Record<string, unknown>>>> = {
  "success-all-flags-changed-seats-failed": allFlagsChangedSeatsFailed,
  "success-full-service-held": fullServiceHeld,
  "success-international-family": internationalFamily,
  "success-lcc": lcc,
  "success-price-changed": priceChanged,
  "success-segment-not-confirmed": segmentNotConfirmed,
  "success-silent-price-difference": silentPriceDifference,
  "success-time-changed": timeChanged,
  "success-without-pnr": withoutPnr,
};
