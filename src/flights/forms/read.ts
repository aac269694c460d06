import { ConfigurationError } from "../../errors/request.ts";
import { isObject } from "../../shared/json.ts";
import { objectWith } from "../../shared/options.ts";
import type { GstDetails } from "../types/index.ts";
import { gstFields, maxPassengers, type PlainField, passengerFields } from "./fields.ts";
import type { PassengerForm } from "./form.ts";

/**
 * The fields of a passenger as they were typed. `trip.validate` says what is wrong with them, and `isPassenger` makes
 * them the passengers that `trip.book` takes.
 */
export interface TypedPassenger extends Readonly<Partial<Record<PlainField | "passenger_type", string>>> {
  /** The GST details of a company. */
  readonly gst?: Readonly<Partial<Record<keyof GstDetails, string>>> | undefined;
}

/**
 * Reads the fields of a form that has the names of {@link passengerForm}. White space around a value is removed. Other
 * fields of the form are left out, and so are GST details if all of them are blank.
 *
 * @param form - The form that was shown: it has the types of the passengers.
 * @param entries - What was sent: a `FormData` or `URLSearchParams`.
 * @returns One element for each slot of the form, for `trip.validate`; for `trip.book` if `isPassenger` accepts each one. If the
 *   quote does not say how many passengers it is for, one for each index that was sent.
 * @throws {@link ConfigurationError} if `entries` is neither, or `form` is not one of {@link passengerForm}.
 *
 * @example
 * ```ts
 * import { isPassenger } from "serviceapi/flights";
 * import { formIssues, passengerForm, readPassengerForm } from "serviceapi/flights/forms";
 *
 * const typed = readPassengerForm(passengerForm(offer), new URLSearchParams("passengers.0.fname=RAVI"));
 * const issues = formIssues(trip.validate(typed));
 * if (issues.hasErrors || !typed.every(isPassenger)) console.log(issues.fields["passengers.0.dob"]); // show them
 * else await trip.book({ passengers: typed, maxTotal });
 * ```
 */
export function readPassengerForm(
  form: PassengerForm,
  entries: { forEach(take: (value: unknown, name: string) => void): void },
): TypedPassenger[] {
  if (!isForm(form ?? undefined))
    throw new ConfigurationError("readPassengerForm: `form` must be what `passengerForm` returned.");
  if (objectWith("forEach", "get")(entries, "entries") !== undefined) {
    throw new ConfigurationError("readPassengerForm: `entries` must be a FormData or URLSearchParams.");
  }
  const sent: Record<string, string>[] = [];
  const gst: Record<string, string>[] = [];
  entries.forEach((value, name) => {
    const [, position = "", isGst, field = ""] = /^passengers\.(\d{1,2})(\.gst)?\.(\w+)$/.exec(name) ?? [];
    const index = Number(position);
    const known = isGst === undefined ? passengerFields : gstFields;
    // A file is not a string.
    if (position === "" || index >= maxPassengers || !known.includes(field) || typeof value !== "string") return;
    const rows = isGst === undefined ? sent : gst;
    rows[index] = { ...rows[index], [field]: value.trim() };
  });
  const count = form.isCountKnown ? form.passengers.length : Math.max(sent.length, gst.length);
  return Array.from({ length: count }, (_, i) => {
    const type = form.passengers[i]?.type;
    const details = Object.values(gst[i] ?? {}).some((value) => value !== "") ? gst[i] : undefined;
    return { ...sent[i], ...(type !== undefined && { passenger_type: type }), ...(details && { gst: details }) };
  });
}

function isForm({ passengers, isCountKnown }: Partial<PassengerForm> = {}): boolean {
  return typeof isCountKnown === "boolean" && Array.isArray(passengers) && passengers.every(isObject);
}
