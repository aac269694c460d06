import { parseCharge } from "../../../../flights/fees/charge.ts";
import { readRules, readWindow } from "../../../../flights/fees/rules.ts";
import { fareBreakdown } from "../../../../flights/quote/money.ts";
import { elementsOf, field, stringOf } from "../../../../shared/json.ts";
import {
  broken,
  firstBroken,
  kept,
  type Observe,
  type Rows,
  type Seen,
  shapeOf,
  unlessProblems,
  wordOf,
} from "../assumption.ts";
import type { CallRecord, Fields } from "../record.ts";

/** Rows F: quotes and fare rules. */
export const flightRows: Rows = {
  "F3.noTime": {
    assume: "a time that does not apply is in the year 0 or 1, or an empty string",
    remedy: "none: the fields are unchanged; compare them with what the service sends in place of a time",
    observe: judgeTimes((text) => {
      if (text === "" || /^000[01]-/.test(text)) return kept("as assumed");
      const isStandIn = !/\d/.test(text) || /^1[0-9]{3}-/.test(text);
      return isStandIn ? broken(`"${/\d/.test(text) ? text.slice(0, 4) : shapeOf(text)}"`) : undefined;
    }),
  },
  "F4.timeZone": {
    assume: "a time is `YYYY-MM-DD HH:mm:ss` and names no time zone",
    remedy:
      "convert the times before you pass a quote on; `deadlineZone` of `checkout` is the zone of last_ticket_date",
    observe: judgeTimes((text) => {
      if (/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/.test(text)) return kept("as assumed");
      return /\d/.test(text) ? broken(`"${shapeOf(text)}"`) : undefined;
    }),
  },
  "F11.miniRules": {
    assume: "mini fare rules have windows in DAYS or HOURS, and charges that can be read",
    remedy: "none: such a fee is `indeterminate`; show `mini_fare_rules` as they are, and report the form",
    observe(call) {
      const rules = offersOf(call).flatMap((offer) => readRules(elementsOf(offer.mini_fare_rules)));
      if (rules.length === 0) return undefined;
      const problems = rules.flatMap((rule) => [
        ...(readWindow(rule) === null ? [`a window in ${wordOf(rule.unit)} from "${shapeOf(String(rule.from))}"`] : []),
        ...(parseCharge(rule.charges).kind === "unreadable"
          ? [`a charge like "${shapeOf(String(rule.charges))}"`]
          : []),
      ]);
      return unlessProblems(problems, `${rules.length} read`);
    },
  },
  "F12.breakdown": {
    assume: "`fare_breakdown` adds up to the base fare, by type or by passenger",
    remedy: "none: `fareBreakdown` reports it; show the total alone",
    observe(call) {
      const readings = offersOf(call).flatMap((offer) =>
        elementsOf(offer.fare_breakdown).length === 0
          ? []
          : [fareBreakdown(offer as Parameters<typeof fareBreakdown>[0]).reading],
      );
      if (readings.length === 0) return undefined;
      return readings.includes("unknown")
        ? broken("the rows do not add up")
        : kept([...new Set(readings)].join(" and "));
    },
  },
  "F22.passengerTypes": {
    assume: "the passenger types of a quote are adult, child and infant, in any case",
    remedy: "none: `fare_breakdown` is unchanged, and the checks of passengers only warn",
    observe(call) {
      const rows = offersOf(call).flatMap((offer) => elementsOf(offer.fare_breakdown));
      const types = rows.map((row) => field(row, "passenger_type"));
      if (types.length === 0) return undefined;
      return unlessProblems(
        types.filter((type) => !/^(?:adult|child|infant)$/i.test(stringOf(type))).map(wordOf),
        "these",
      );
    },
  },
};

/** Returns the results of a quote or of a fare rule, unchanged. */
function resultsOf({ operation, body }: CallRecord): readonly Fields[] {
  return operation.startsWith("flights.") ? elementsOf(field(body?.data, "result")).map((each) => Object(each)) : [];
}

function offersOf(call: CallRecord): readonly Fields[] {
  return call.name === "quote" ? resultsOf(call) : [];
}

/** Judges each time of a quote or a rule, until one breaks the assumption. A number counts as its digits. */
function judgeTimes(judge: (text: string) => Seen | undefined): Observe {
  return (call) => {
    const times = resultsOf(call).flatMap((result) => [
      result.last_ticket_date,
      result.departure_time,
      result.return_time,
      ...elementsOf(result.segments).flatMap((segment) => [
        field(field(segment, "origin"), "departure_time"),
        field(field(segment, "destination"), "arrival_time"),
      ]),
    ]);
    return firstBroken(
      times.map((time) => (typeof time === "string" || typeof time === "number" ? judge(String(time)) : undefined)),
    );
  };
}
