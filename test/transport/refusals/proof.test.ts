/** The proof of a refusal: each value of a body has to be accounted for. */
import { describe, expect, it } from "vitest";
import { ServiceApiError } from "../../../src/errors/index.ts";
import { defineOperation, ServiceApi } from "../../../src/index.ts";

const issue = defineOperation({ name: "issue", path: "issue", retry: "never" });

/** The request, unless a test sends another. */
const order = { dob: "1990-04-02", zone: "web", token: "S-77", order_id: "7" };

/** The outcome, with the kind of a refusal or the part that is not accounted for. */
async function told(response: Response, sent: object = order): Promise<unknown> {
  const api = new ServiceApi({
    ...{ baseUrl: "https://service.example", clientId: "id", clientSecret: "secret" },
    fetch: async () => response,
  });
  const error = await api.send(issue, { ...sent }).catch((error: unknown) => error);
  if (!ServiceApiError.isInstance(error)) throw error;
  const { unrecognized = "nothing named" } = error as { unrecognized?: string };
  return `${error.outcome}: ${error.outcome === "rejected" ? error.kind : unrecognized}`;
}

const refused = { status: "FAILED", message: "Invalid token" };
const reading = (more: object, { status = 400, sent = order }: { status?: number; sent?: object } = {}) =>
  told(Response.json({ ...refused, ...more }, { status }), sent);

const page = (html: string) => told(new Response(html, { status: 400, headers: { "content-type": "text/html" } }));

/** That `refused` is one. */
const proved = "rejected: session_expired";

describe("the status and the code", () => {
  it.each<[status: number, body: object, string]>([
    [400, { status: "PENDING", message: "Seat is held" }, "unknown: nothing named"],
    [400, { status_code: "200" }, "unknown: nothing named"],
    [200, { status_code: "200" }, proved],
    [400, { status_code: "503" }, "unknown: nothing named"],
    [400, { status_code: 50_312 }, "unknown: nothing named"],
    [400, { status_code: "409" }, proved],
    [400, { error_code: 409 }, "unknown: error_code"],
    [400, { error_code: "1503" }, proved],
    [400, { error_code: 503_123 }, proved],
    [400, { error_code: 42_412 }, "unknown: error_code"],
    [400, { error_code: 7 }, proved],
    [400, { error_code: 100 }, "unknown: error_code"],
    [400, { error_code: 399 }, "unknown: error_code"],
    [400, { error_code: 307 }, proved],
    [400, { error_code: "04001" }, proved],
    [400, { error_code: " 4001 " }, proved],
    [400, { error_code: -503 }, "unknown: -503"],
    [400, { error_id: 504 }, "unknown: error_id"],
    [400, { error_id: "E409" }, "unknown: error_id"],
    [400, { code_message: 4001 }, "unknown: code_message"],
    [400, { http_status_code: 7 }, "unknown: http_status_code"],
    [400, { status_code_type: 4001 }, "unknown: status_code_type"],
    [400, { status_code_http: 7 }, "unknown: status_code_http"],
    [200, { message: "Client is inactive" }, "rejected: permission"],
    [200, { message: "No seats left on the flight" }, "rejected: offer_unavailable"],
    [400, { error_code: 400.5 }, "unknown: 400.5"],
  ])("HTTP %i and %j: %s", async (status, body, expected) => {
    expect(await reading(body, { status })).toBe(expected);
  });

  it.each<[status: number, body: string | null, string]>([
    [307, null, "rejected: unknown"],
    [307, "", "rejected: unknown"],
    [307, "Invalid token", "unknown: nothing named"],
    [303, null, "unknown: nothing named"],
    [302, null, "unknown: nothing named"],
    [404, '{"message":""}', "rejected: not_found"],
    [404, '{"status_code":"400"}', "rejected: invalid"],
    [404, '{"status_code":"404"}', "rejected: not_found"],
    [404, '{"status_code":"422"}', "rejected: invalid"],
    [404, '{"status_code":"406"}', "unknown: nothing named"],
    [400, '{"status":"FAILED"}', "unknown: nothing named"],
  ])("HTTP %i and %j: %s", async (status, body, expected) => {
    expect(await told(new Response(body, { status, headers: { location: "/elsewhere" } }))).toBe(expected);
  });
});

describe("a value is accounted for", () => {
  it.each<[object, sent?: object]>([
    [{ warnings: [], booking: {} }],
    [{ detail: "-" }],
    [{ detail: "N/A" }],
    [{ detail: null }],
    [{ not_booked: "" }],
    [{ not_booked: null }],
    [{ count: 0 }],
    [{ success: false }],
    [{ success: " no " }],
    [{ seats_booked: false }],
    [{ is_booked: false }],
    [{ error: true }],
    [{ has_errors: true }],
    [{ zone: "web" }],
    [{ zip_code: "SW1" }, { ...order, zip_code: "SW1" }],
    [{ status_note: "web" }, { ...order, status_note: "web" }],
    [{ data: { token: "S-77" } }],
    [{ code: 400 }],
    [{ error_code: "E4001" }],
    [{ error_code: "E-4001" }],
    [{ errors: ["Invalid token"] }],
    [{ errors: [{ error_code: 4001 }] }],
    [{ data: { order_id: "7" } }],
    [{ error_data: { error_code: 4001 } }],
    [{ data_error: { error_code: 4001 } }],
    [{ request_id: "abc-123" }],
    [{ request_id: 12_345 }],
    [{ error_id: "5f0c1e2b-7a8d-4f6c-9b3a" }],
    [{ http_method: "POST" }],
    [{ version: 2 }],
    [{ time: 1_764_553_380 }],
    [{ timestamp: "2026-11-25 10:00:00" }],
    [{ method: "POST" }],
    [{ object_name: "bookingRequest" }],
    [{ host: "api.example.com" }],
    [{ timestamp: 1_764_553_380_000 }],
    [{ date: "2026-11-25T10:00:00Z" }],
    [{ type: "about:blank" }],
    [{ type: "https://tools.ietf.org/html/rfc7231#section-6.5.1" }],
    [{ errors: [{ detail: { message: "Invalid token" } }, { message: "Invalid token" }] }],
    [{ errors: [{ message: "Invalid token" }, { id_message: "Invalid token" }] }],
    [{ errors: [{ message: "Invalid token" }, { message: "404 not found" }] }],
  ])("%j", async (more, sent) => {
    expect(await reading(more, sent && { sent })).toBe(proved);
  });

  it.each<[object, sent?: object]>([
    [{ errors: { dob: { messages: { text: "is required" } } } }],
    [{ errors: [{ loc: ["body", 0, "dob"], msg: "", message: "is required" }] }],
    [{ errors: [{ loc: ["query", 0, "dob"], message: "is required" }] }],
    [{ errors: [{ name: "dob", reason: "is required" }] }],
    [{ errors: [{ field_name: "dob", reason: "is required" }] }],
    [{ errors: [{ instance_path: "/dob", reason: "is required" }] }],
    [{ errors: ["shoe is required"] }, { person: { shoe: 9 } }],
  ])("as a message about a field: %j", async (more, sent) => {
    expect(await reading({ ...more, message: "" }, sent && { sent })).toBe("rejected: invalid");
  });
});

describe("a value proves nothing", () => {
  it.each<[object, unrecognized: string, sent?: object]>([
    [{ "foo  bar": "x" }, "foo bar"],
    [{ attempts: { message: "Invalid token" } }, "attempts"],
    [{ held_message: "Invalid token" }, "held_message"],
    [{ held: "00" }, "held"],
    [{ error: { status_code: 503 } }, "status_code"],
    [{ success: "held or no" }, "success"],
    [{ ["held".repeat(21)]: "x" }, "held".repeat(20)],
    [{ booked_before: false }, "booked_before"],
    [{ not_booked: false }, "not_booked"],
    [{ seat_failed: true }, "seat_failed"],
    [{ failed_seats: true }, "failed_seats"],
    [{ detail: "***" }, "***"],
    [{ not_booked: "none" }, "not_booked"],
    [{ unbooked: "none" }, "unbooked"],
    [{ rollback: "none" }, "rollback"],
    [{ rolled_back: "none" }, "rolled_back"],
    [{ reversed: "none" }, "reversed"],
    [{ release: "none" }, "release"],
    [{ count_held: 0 }, "count_held"],
    [{ order_id: "B-8" }, "order_id"],
    [{ request_id: "R-2" }, "request_id", { ...order, request_id: "R-1" }],
    [{ data: { error_code: "E4001" } }, "error_code"],
    [{ data: { error_code: "E_4001" } }, "error_code"],
    [{ zone_id_kind: "app" }, "app", { ...order, zone_id_kind: "web" }],
    [{ data: { zone: "web" } }, "web"],
    [{ data: { id_type: "web" } }, "web", { ...order, id_type: "web" }],
    [{ code: "X9" }, "x9", { ...order, code: "X9" }],
    [{ title: "about:blank" }, "about:blank"],
    [{ type: "Seat is held" }, "seat is held"],
    [{ type: "Seat is held by about:blank" }, "seat is held by about:blank"],
    [{ type: "about:blank seat" }, "about:blank seat"],
    [{ type_name: "about:blank" }, "about:blank"],
    [{ error_type: "about:blank" }, "about:blank"],
    [{ date: "Seat is held" }, "seat is held"],
    [{ date: "Held until 2026-11-25" }, "held until 2026-11-25"],
    [{ date: "2026-11-25 held" }, "2026-11-25 held"],
    [{ request_id: "abc" }, "abc"],
    [{ request_id: "seat is held 1" }, "seat is held 1"],
    [{ request_id: "a1 is held" }, "a1 is held"],
    [{ user_request_id: "x-1" }, "x-1"],
    [{ request_id_field: "x-1" }, "x-1"],
    [{ method: "it was put" }, "it was put"],
    [{ method: "post held" }, "post held"],
    [{ object_name: "held request" }, "held request"],
    [{ object_name: "requestHeld" }, "request held"],
    [{ host: "it is held" }, "it is held"],
    [{ host_name: "held" }, "held"],
    [{ error_host: "held" }, "held"],
    [{ response_date: "2026-11-25T10:00:00Z" }, "2026-11-25t10:00:00z"],
    [{ errors: [{ date: 20_261_208, message: "Invalid token" }] }, "20261208"],
    [{ errors: [{ date: "2026-12-08", message: "Invalid token" }] }, "2026-12-08"],
    [{ date: "2027-02-10 06:15:00" }, "2027-02-10 06:15:00"],
    [{ errors: [{ message: "Invalid token" }, { method: "POST" }] }, "errors with an empty element"],
    [{ errors: [{ message: "Invalid token" }, { message: "HTTP 404" }] }, "errors with an empty element"],
    [{ errors: [{ message: "Invalid token" }, { code: "E401" }] }, "errors with an empty element"],
    [{ code: 48_213_365 }, "48213365"],
    [{ code: "BK482133" }, "bk482133"],
    [{ version: "booked" }, "booked"],
    [{ host: "PNR:AB12CD" }, "pnr:ab12cd"],
    [{ timestamp: "PNR:AB12CD" }, "pnr:ab12cd"],
    [{ cancelled: "none" }, "cancelled"],
    [{ rejected_count: 0 }, "rejected_count"],
    [{ released_seats: [] }, "released_seats"],
    [{ rolled_back: {} }, "rolled_back"],
    [{ response_data: { error_code: 4001 } }, "error_code"],
    [{ time: "10:30:00" }, "10:30:00"],
    [{ error_id: "ALREADY_BOOKED_1" }, "already booked 1"],
    [{ delivery_method: "post" }, "post", { ...order, delivery_method: "put" }],
    [{ errors: [{ name: "held", message: "Invalid token" }] }, "held"],
    [{ data: { request_id: "abc-123" } }, "abc-123"],
    [{ errors: [{ message: "Invalid token" }, { code: 4001 }] }, "errors with an empty element"],
    [{ errors: [{ message: "Invalid token" }, { order_id: "7" }] }, "errors with an empty element"],
    [{ errors: [{ message: "Invalid token" }, null] }, "errors with an empty element"],
    [{ errors: [{ loc: ["held", "dob"], message: "Invalid token" }] }, "held"],
    [{ errors: [{ error_field: "dob", reason: "is required" }] }, "is required"],
    [{ errors: [{ field_code: "dob", reason: "is required" }] }, "is required"],
    [{ message: "order id is invalid" }, "order id is invalid"],
    [{ message: "x is required" }, "x is required", { ...order, x: 1 }],
    [{ message: "9zone is required" }, "9zone is required", { ...order, "9zone": 1 }],
    [{ message: "zone# is required" }, "zone# is required", { ...order, "zone#": 1 }],
    [{ message: "seat is required" }, "seat is required", { ...order, seat: "12A" }],
    [{ message: "No seats left on the flight" }, "no seats left on the flight", { ...order, seats: ["12A"] }],
    [{ message: "addon is required" }, "addon is required", { ...order, addon: "X" }],
  ])("%j: %s", async (more, unrecognized, sent) => {
    expect(await reading(more, sent && { sent })).toBe(`unknown: ${unrecognized}`);
  });
});

it("a refusal has at most 2,000 values, with its body, its status, its message and the list around the others", async () => {
  const errors = (count: number) => Array.from({ length: count }, () => "Invalid token");
  expect(await reading({ errors: errors(1_996) })).toBe(proved);
  expect(await reading({ errors: errors(1_997) })).toBe("unknown: more values than a refusal has");
});

it("an element of a list is read up to as many for words, before it counts as empty", async () => {
  const codes = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`code_${n}`, 4001]));
  const element = (count: number) => ({ errors: ["Invalid token", { ...codes(count), message: "Invalid token" }] });
  expect(await reading(element(1_998))).toBe("unknown: more values than a refusal has");
  expect(await reading(element(1_999))).toBe("unknown: errors with an empty element");
});

describe("a page", () => {
  it.each([
    ["<p>Invalid token</p>"],
    ["<!DOCTYPE html><html><head><title>Invalid token</title></head><body><h1>Invalid token</h1></body></html>"],
    ["<style>p { color: red }</style><p>Invalid token</p>"],
    ['<div class="box">Invalid token</div>'],
    ["<p>Invalid\n  token</p>"],
    ["Invalid token\nBooking failed"],
  ])("refuses if its text does: %s", async (html) => {
    expect(await page(html)).toBe(proved);
  });

  it.each([
    ["<p>Seat is held</p>"],
    ['<p title="held">Invalid token</p>'],
    ['<p title  ="held">Invalid token</p>'],
    ['<p data-status="held">Invalid token</p>'],
    ['<p aria-label="held">Invalid token</p>'],
    ['<a href="/held">Invalid token</a>'],
    ['<a href  =  "/held">Invalid token</a>'],
    ["<a href=/held>Invalid token</a>"],
    ["<script>held()</script><p>Invalid token</p>"],
    ["<style>p::after { content: 'held' }</style><p>Invalid token</p>"],
    ["<held>Invalid token</held>"],
    ["<p-held pnr=AB12CD>Invalid token</p-held>"],
    ["<style>p::after { content : 'held' }</style><p>Invalid token</p>"],
  ])("proves nothing with other words, or words elsewhere: %s", async (html) => {
    expect(await page(html)).toMatch(/^unknown: /);
  });
});
