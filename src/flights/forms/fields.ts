import type { GstDetails, Passenger } from "../types/index.ts";

/** A field of a form. */
export interface FormField {
  /** Name for the input: the path in the request, such as `passengers.0.fname`. */
  readonly name: string;
  /** The field, such as `fname` or `gst_number`. */
  readonly field: string;
  /** Whether it must be filled in. GST details that are not mandatory may be left out together. */
  readonly required: boolean;
  /** The kind of input. */
  readonly input: "text" | "email" | "tel" | "date" | "select";
  /** The values of a `select`, as the service writes them. */
  readonly choices?: readonly string[];
  /** The token for the attribute `autocomplete`, without a section. */
  readonly autocomplete?: string;
  /** The airline's own words on the format (`fname_format`, `lname_format`), as plain text. */
  readonly guidance?: string;
}

/** A field of every form, without its place. */
export interface FieldKind extends Pick<FormField, "field" | "input" | "choices" | "autocomplete"> {}

/** A field of a form for a passenger that is one string. */
export type PlainField = Exclude<keyof Passenger, "passenger_type" | "seat" | "baggage" | "meal" | "gst">;

/** In the order in which a form asks (§4.3). */
const kinds: Readonly<Record<PlainField, Omit<FieldKind, "field">>> = {
  title: { input: "select", autocomplete: "honorific-prefix" },
  fname: { input: "text", autocomplete: "given-name" },
  lname: { input: "text", autocomplete: "family-name" },
  gender: { input: "select", choices: ["M", "F"], autocomplete: "sex" },
  dob: { input: "date", autocomplete: "bday" },
  mobile: { input: "tel", autocomplete: "tel" },
  email: { input: "email", autocomplete: "email" },
  address: { input: "text", autocomplete: "street-address" },
  city: { input: "text", autocomplete: "address-level2" },
  country: { input: "text", autocomplete: "country-name" },
  country_code: { input: "text", autocomplete: "country" },
};

const gst: Readonly<Record<keyof GstDetails, Omit<FieldKind, "field">>> = {
  gst_company_name: { input: "text", autocomplete: "organization" },
  gst_number: { input: "text" },
  gst_company_address: { input: "text" },
  gst_company_mobile: { input: "tel" },
  gst_company_email: { input: "email" },
};

/** The titles of a type (docs/assumptions.md, F9). The quote may name a type that the document does not. */
const titles: Readonly<Partial<Record<string, readonly string[]>>> = {
  adult: ["Mr", "Mrs", "Ms"],
  child: ["Mstr", "Ms"],
  infant: ["Mstr", "Ms"],
};

/** The fields of a passenger of a type. */
export function passengerKinds(type: string): FieldKind[] {
  const choices = (Object.hasOwn(titles, type) && titles[type]) || ["Mr", "Mrs", "Ms", "Mstr"];
  return Object.entries(kinds).map(([field, kind]) =>
    field === "title" ? { field, ...kind, choices } : { field, ...kind },
  );
}

/** The most passengers that a form has; a booking has a tenth of it. */
export const maxPassengers = 99;

/** The fields of GST details. */
export const gstKinds: readonly FieldKind[] = Object.entries(gst).map(([field, kind]) => ({ field, ...kind }));

/** The names of a passenger's inputs. */
export const passengerInputs: readonly string[] = Object.keys(kinds);
/** The names of the fields that a form may send, `passenger_type` included. */
export const passengerFields: readonly string[] = [...passengerInputs, "passenger_type"];
export const gstFields: readonly string[] = Object.keys(gst);
