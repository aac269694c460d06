import { elementsOf, field, isObject, stringOf } from "../../../shared/json.ts";
import { maskAddress, maskMessage, maskName, maskNumber } from "../../shared/mask.ts";

/** What becomes of each field. Fields that a table does not name are left out: they may be personal. */
type Projection = Readonly<Record<string, (value: unknown) => unknown>>;

const same = (value: unknown) => value;
const hidden = (value: unknown) => (value === "" || value === null ? value : "••••");
const masked = (mask: (text: string) => string) => (value: unknown) => mask(stringOf(value));
const all = (names: string, how: (value: unknown) => unknown): Projection =>
  Object.fromEntries(names.split(" ").map((name) => [name, how]));

const passenger: Projection = {
  ...all("passenger_id title passenger_type gender is_lead_passenger country_code fare seat baggage meal", same),
  ...all("fname lname", masked(maskName)),
  mobile: masked(maskNumber),
  email: masked(maskAddress),
  ...all("dob address city country gst", hidden),
};

const booking: Projection = {
  ...all("pnr booking_id price_changed time_changed seats_booked domestic source origin destination", same),
  ...all("airline_code airline_remark last_ticket_date is_lcc non_refundable coupon_applicable", same),
  ...all("credit_note_no segments fare", same),
  passengers: (list) => elementsOf(list).map(projectPassenger),
};

const body: Projection = {
  ...all("status status_code", same),
  message: masked(maskMessage),
  data: (data) => project(data, { trace_id: same, result: (result) => project(result, booking) }),
};

/** Returns what can be shown of a passenger (§2.9, §4.3). */
export function projectPassenger(value: unknown): unknown {
  return project(value, passenger);
}

/** Returns the documented part of the response to a booking (§2.8), with its people masked. */
export function projectBooking(value: unknown): unknown {
  return project(value, body);
}

function project(value: unknown, fields: Projection): unknown {
  if (!isObject(value)) return null;
  const kept = Object.entries(fields).filter(([name]) => Object.hasOwn(value, name));
  return Object.fromEntries(kept.map(([name, show]) => [name, show(field(value, name))]));
}
