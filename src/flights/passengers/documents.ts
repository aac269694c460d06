import type { GstDetails } from "../types.ts";
import { type CheckContext, textOf } from "./context.ts";
import { issue, type PassengerIssue, type PassengerIssueCode } from "./issues.ts";

const gstFields = [
  "gst_company_name",
  "gst_number",
  "gst_company_address",
  "gst_company_mobile",
  "gst_company_email",
] as const satisfies readonly (keyof GstDetails)[];

/** State code, PAN of the company, entity number, Z, check character. */
const gstNumber = /^\d{2}[A-Z]{5}\d{4}[A-Z][0-9A-Z]Z[0-9A-Z]$/i;

/** GST is complete where the offer makes it mandatory, and where somebody began to fill it in (policy 29). */
export function checkGst({ passengers, offer }: CheckContext): PassengerIssue[] {
  const given = passengers.flatMap(({ gst }, i) => (typeof gst === "object" && gst !== null ? [{ gst, i }] : []));
  if (given.length === 0) {
    return offer.gst_mandatory
      ? [issue("gst_missing", ["passengers", 0, "gst"], "This fare is sold with the GST details of a company only.")]
      : [];
  }
  return given.flatMap(({ gst, i }) => {
    const missing = gstFields.filter((field) => textOf(gst[field]).trim() === "");
    const number = textOf(gst.gst_number).trim();
    const odd = number !== "" && !gstNumber.test(number);
    return [
      ...missing.map((field) =>
        issue("gst_incomplete", ["passengers", i, "gst", field], "Is missing from the GST details."),
      ),
      ...(odd
        ? [
            issue(
              "gst_number_form",
              ["passengers", i, "gst", "gst_number"],
              "Is not of the form of a GST number (15 characters).",
            ),
          ]
        : []),
    ];
  });
}

interface Requirement {
  readonly flag: PassengerIssueCode &
    ("passport_required_at_book" | "passport_required_at_ticket" | "pan_required_at_book" | "pan_required_at_ticket");
  readonly field: RegExp;
  readonly message: string;
}

const requirements: readonly Requirement[] = [
  {
    flag: "passport_required_at_book",
    field: /passport/i,
    message:
      "The airline wants passport details to book. The document names no field for them: ask the service operator, and give them in `extraBody`.",
  },
  {
    flag: "passport_required_at_ticket",
    field: /passport/i,
    message: "The airline will want passport details when the ticket is issued.",
  },
  {
    flag: "pan_required_at_book",
    field: /^pan(?![a-z])|_pan(?![a-z])/i,
    message:
      "The tax number (PAN) is needed to book. The document names no field for it: ask the service operator, and give it in `extraBody`.",
  },
  {
    flag: "pan_required_at_ticket",
    field: /^pan(?![a-z])|_pan(?![a-z])/i,
    message: "The tax number (PAN) will be needed when the ticket is issued.",
  },
];

/** Passport and PAN, for which the document has flags but no fields: an `extraBody` may hold them. */
export function checkDocuments({ offer, passengers, extraBody }: CheckContext): PassengerIssue[] {
  return requirements
    .filter(({ flag, field }) => offer[flag] && !covers(extraBody, field, passengers.length))
    .map(({ flag, message }) => issue(flag, ["offer", flag], message));
}

/** Whether a field of that name is filled in at the root, or for every passenger. */
function covers(extraBody: unknown, field: RegExp, count: number): boolean {
  if (hasField(extraBody, field)) return true;
  const rows: unknown =
    typeof extraBody === "object" && extraBody !== null ? Reflect.get(extraBody, "passengers") : undefined;
  return (
    Array.isArray(rows) && rows.length >= count && rows.slice(0, count).every((row: unknown) => hasField(row, field))
  );
}

function hasField(value: unknown, field: RegExp): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(
    ([key, content]) => field.test(key) && content !== "" && content !== null && content !== undefined,
  );
}
