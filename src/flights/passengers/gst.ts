import { stringOf } from "../../shared/json.ts";
import type { GstDetails } from "../types/index.ts";
import type { CheckContext } from "./context.ts";
import { isBlank, isMobile } from "./fields.ts";
import { issue, type PassengerIssue } from "./issues.ts";

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
