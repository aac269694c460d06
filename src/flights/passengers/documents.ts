import type { CalendarDateTime } from "@internationalized/date";
import { elementsOf, field, stringOf } from "../../shared/json.ts";
import { parseWallClock } from "../quote/times.ts";
import type { GstDetails } from "../types/index.ts";
import type { CheckContext } from "./context.ts";
import { isBlank, isMobile } from "./fields.ts";
import { issue, type PassengerIssue, type PassengerIssueCode } from "./issues.ts";

interface Requirement {
  readonly flag: PassengerIssueCode &
    ("passport_required_at_book" | "passport_required_at_ticket" | "pan_required_at_book" | "pan_required_at_ticket");
  readonly isField: (name: string) => boolean;
  readonly message: string;
}

const isPassport = (name: string) => /passport/i.test(name);

/**
 * `pan`, `PAN`, `pan_no`, `panNumber`, `PANNumber`, `leadPan`, `pancard`, `permanent_account_number`; not `company` or
 * `panel`.
 */
function isPan(name: string): boolean {
  const words = wordsOf(name);
  return (
    words.includes("pan") || /^(?:pan(?:card)?(?:no|num|number)?|permanentaccountn(?:o|umber))$/.test(words.join(""))
  );
}

/** The words of a name in camelCase, snake_case or any other spelling, in lower case. */
function wordsOf(name: string): string[] {
  const spaced = name.replaceAll(/([a-z])([A-Z])/g, "$1 $2").replaceAll(/([A-Z])([A-Z][a-z])/g, "$1 $2");
  return spaced
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word !== "");
}

const requirements: readonly Requirement[] = [
  {
    flag: "passport_required_at_book",
    isField: isPassportItself,
    message: "The airline needs the passport details of each passenger to book this fare.",
  },
  {
    flag: "passport_required_at_ticket",
    isField: isPassportItself,
    message: "The airline will need the passport details of each passenger when the ticket is issued.",
  },
  {
    flag: "pan_required_at_book",
    isField: isPan,
    message: "The tax number (PAN) of each passenger is needed to book this fare.",
  },
  {
    flag: "pan_required_at_ticket",
    isField: isPan,
    message: "The tax number (PAN) of each passenger will be needed when the ticket is issued.",
  },
];

const developerMessage =
  "The service documents no field for this. Ask the service operator for its name and send it in `extraBody`.";

/** Checks passport and PAN. The document has flags for them but no fields: `extraBody` may contain them. */
export function checkDocuments(context: CheckContext): PassengerIssue[] {
  const { offer, passengers, extraBody } = context;
  const missing = requirements
    .filter(({ flag, isField }) => offer[flag] && !covers(extraBody, isField, passengers.length))
    .map(({ flag, message }) => issue(flag, ["offer", flag], message, { developerMessage }));
  return [...missing, ...checkExpiry(context)];
}

/** An expiry date, a country or a place of issue is not a passport number. */
function isPassportItself(name: string): boolean {
  return isPassport(name) && !/expir|valid|issue|country|nation|place|date/i.test(name);
}

/** Returns true if such a field is filled in at the root, or for every passenger. */
function covers(extraBody: unknown, isField: Requirement["isField"], count: number): boolean {
  if (hasField(extraBody, isField)) return true;
  const rows = rowsOf(extraBody);
  return rows.length >= count && rows.slice(0, count).every((row) => hasField(row, isField));
}

function hasField(value: unknown, isField: Requirement["isField"]): boolean {
  return entriesOf(value).some(([name, content]) => isField(name) && isFilled(content));
}

/** Returns true for a string or a number somewhere in it: `true` is not a passport. */
function isFilled(content: unknown): boolean {
  if (typeof content === "object") return entriesOf(content).some(([, inner]) => isFilled(inner));
  return typeof content === "number" || (typeof content === "string" && !isBlank(content));
}

/** Checks that no passport expires before the end of the trip, if its date can be read. */
function checkExpiry({ extraBody, lastDay }: CheckContext): PassengerIssue[] {
  if (lastDay === null) return [];
  const places = [
    { path: ["extraBody"], value: extraBody },
    ...rowsOf(extraBody).map((value, i) => ({ path: ["extraBody", "passengers", i], value })),
  ];
  return places.flatMap(({ path, value }) =>
    entriesOf(value).flatMap(([name, content]) => {
      if (!isPassport(name)) return [];
      const inner = entriesOf(content).map(([key, date]) => ({ names: [name, key], key, date }));
      return [{ names: [name], key: name, date: content }, ...inner]
        .filter(({ key, date }) => /expir|valid/i.test(key) && endsBefore(date, lastDay))
        .map(({ names }) =>
          issue("passport_expires", [...path, ...names], "The passport expires before the trip is over."),
        );
    }),
  );
}

/** A passport is valid to the end of its last day. */
function endsBefore(date: unknown, lastDay: CalendarDateTime): boolean {
  const end = parseWallClock(date);
  return end !== null && end.set({ hour: 23, minute: 59, second: 59 }).compare(lastDay) < 0;
}

function rowsOf(extraBody: unknown): readonly unknown[] {
  return elementsOf(field(extraBody, "passengers"));
}

function entriesOf(value: unknown): [string, unknown][] {
  return typeof value === "object" && value !== null ? Object.entries(value) : [];
}

/** Labels of the fields in a form. */
const labels: Readonly<Record<keyof GstDetails, string>> = {
  gst_company_name: "name of the company",
  gst_number: "GST number",
  gst_company_address: "address of the company",
  gst_company_mobile: "mobile number of the company",
  gst_company_email: "e-mail address of the company",
};

const fields = Object.keys(labels) as readonly (keyof GstDetails)[];

/** Formats that are only warnings: the document calls the fields strings and states no format. */
const forms: readonly (readonly [
  keyof GstDetails,
  (text: string) => boolean,
  "gst_number_form" | "gst_contact_form",
  string,
])[] = [
  [
    "gst_number",
    // State code, PAN of the company, entity number, Z, check character.
    (text) => /^\d{2}[A-Z]{5}\d{4}[A-Z][0-9A-Z]Z[0-9A-Z]$/i.test(text),
    "gst_number_form",
    "This does not look like a GST number (15 characters).",
  ],
  ["gst_company_mobile", isMobile, "gst_contact_form", "This is not a complete mobile number."],
  [
    "gst_company_email",
    (text) => /^[^\s@]+@[^\s@]+$/.test(text),
    "gst_contact_form",
    "This is not a complete e-mail address.",
  ],
];

/** GST must be complete if the offer makes it mandatory, or if it was partly filled in (docs/assumptions.md, F9). */
export function checkGst({ passengers, offer }: CheckContext): PassengerIssue[] {
  const given = passengers.flatMap(({ gst }, i) =>
    typeof gst === "object" && gst !== null && !isUntouched(gst) ? [{ gst, i }] : [],
  );
  if (given.length === 0) {
    const message = "This fare requires the GST details of a company.";
    return offer.gst_mandatory ? [issue("gst_missing", ["passengers", 0, "gst"], message)] : [];
  }
  return given.flatMap(({ gst, i }) => [
    ...fields
      .filter((field) => isBlank(gst[field]))
      .map((field) => issue("gst_incomplete", ["passengers", i, "gst", field], `Enter the ${labels[field]}.`)),
    ...forms
      .filter(([field, fits]) => !isBlank(gst[field]) && !fits(stringOf(gst[field]).trim()))
      .map(([field, , code, message]) => issue(code, ["passengers", i, "gst", field], message)),
  ]);
}

/** Five blank strings: a form that always sends the object, not filled in. */
function isUntouched(gst: GstDetails): boolean {
  return fields.every((field) => typeof gst[field] === "string" && isBlank(gst[field]));
}
