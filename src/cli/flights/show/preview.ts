import type { FareQuoteResult } from "../../../flights/types/index.ts";
import { cleanLine } from "../../shared/clean-text.ts";
import { formatLists, wrapLists } from "../../shared/description-list.ts";
import type { OutputFlags } from "../../shared/output-flags.ts";
import { formatMoney } from "../money.ts";
import type { Order } from "../order.ts";
import { formatOffer, summarizeOffer } from "./offer.ts";
import { formatPassengers } from "./passengers.ts";
import { projectPassenger } from "./projection.ts";

/** A booking that was not sent. */
export interface Preview {
  readonly offer: FareQuoteResult;
  readonly result: number;
  readonly order: Order;
  readonly journal: string;
  readonly reference: string | undefined;
}

interface PreviewFlags extends OutputFlags {
  readonly deadlineZone?: string;
}

/** Returns what would be booked, as data. */
export function describePreview({ offer, result, order, journal, reference }: Preview, flags: PreviewFlags) {
  const { passengers, maxTotal } = order.request;
  return {
    booked: false,
    result,
    ...summarizeOffer(offer, flags.deadlineZone),
    maxTotal,
    travellers: flags.showPii ? passengers : passengers.map(projectPassenger),
    clientReferenceId: reference ?? null,
    journal,
    offer,
  };
}

/** Formats what would be booked: the offer, the passengers, the limit. */
export function formatPreview({ offer, order, journal, reference }: Preview, flags: PreviewFlags): string {
  const { request } = order;
  const terms = {
    title: "Booking",
    items: [
      ["at most", formatMoney(request.maxTotal)],
      ["reference", cleanLine(reference ?? "a new one")],
      ["journal", cleanLine(journal)],
      ...(request.allowDuplicate ? [["force", "although an earlier booking exists or may exist"] as const] : []),
    ] as const,
  };
  return [
    formatOffer("To be booked", offer, flags.deadlineZone),
    formatPassengers(request.passengers, flags.showPii === true),
    formatLists(wrapLists([terms])),
  ].join("\n\n");
}
