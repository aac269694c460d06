import { styleText } from "node:util";
import type { FeeReport } from "../../../flights/fees/index.ts";
import { feeText } from "../../../flights/fees/rules.ts";
import { wallClockIn } from "../../../flights/quote/times.ts";
import type { MiniFareRule } from "../../../flights/types/index.ts";
import { trimmedScalar } from "../../../shared/json.ts";
import { formatTable } from "../../shared/layout.ts";
import { cleanStrings, flagged, formatCount } from "./offer.ts";

interface ReportedFees {
  readonly at: string | Date;
  readonly zone?: string | undefined;
  readonly fees: Readonly<Record<string, FeeReport>>;
}

const feeColumns = ["Journey", "Departs", "Passengers", "Fee"];
const windowColumns = ["Journey", "Before departure", "Charge of one passenger", "Online"];

export function formatFees(title: string | undefined, { at, zone, fees }: ReportedFees): string {
  const moment =
    at instanceof Date ? `${wallClockIn(at, zone ?? "UTC").slice(0, 16)} (${zone})` : `${at} (first airport)`;
  const parts = Object.entries(fees).map(([type, report]) => formatType(type, moment, cleanStrings(report)));
  return [title && styleText("bold", title), ...parts].filter(Boolean).join("\n\n");
}

function formatType(type: string, moment: string, { fee, journeys }: FeeReport): string {
  const heading = `${styleText("bold", type)} at ${moment}: ${styleText("bold", feeText(fee))}`;
  // Where nothing is known, the heading says so.
  const isKnown = journeys.some(({ passengers }) => passengers.some((who) => who.fee.kind !== "indeterminate"));
  const rows = journeys.flatMap(({ journeyPoints, departure, passengers }) =>
    passengers.map(({ count, passengerType, fee }) => {
      const departs = departure?.slice(0, 16) ?? "not known";
      return [journeyPoints, departs, formatCount(count, passengerType), feeText(fee)];
    }),
  );
  const windows = journeys.flatMap((journey) =>
    journey.rules.map((rule) => [journey.journeyPoints, windowText(rule), said(rule.charges), onlineText(rule)]),
  );
  const tables = [isKnown && formatTable(feeColumns, rows), windows.length > 0 && formatTable(windowColumns, windows)];
  return [heading, ...tables].filter(Boolean).join("\n\n");
}

function windowText({ from, to, unit }: MiniFareRule): string {
  const name = said(unit).toLowerCase();
  return to === "" ? `${said(from)} ${name} and more` : `${said(from)} to ${said(to)} ${name}`;
}

/** A rule that has drifted may have anything in any field. */
function said(value: unknown): string {
  return trimmedScalar(value) || "(not readable)";
}

function onlineText(rule: MiniFareRule): string {
  const ways = [...flagged(rule.online_refund_allowed, "refund"), ...flagged(rule.online_reissue_allowed, "reissue")];
  return ways.join(", ") || "no";
}
