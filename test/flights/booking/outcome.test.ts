import { describe, expect, it } from "vitest";
import {
  ApiError,
  AuthenticationError,
  BookingOutcomeUnknownError,
  DuplicateRequestError,
  InsufficientBalanceError,
  InvalidRequestError,
  NotFoundError,
  OfferUnavailableError,
  PermissionError,
  RateLimitError,
  type ServiceApiError,
  SessionExpiredError,
  TraceMismatchError,
} from "../../../src/errors/index.ts";
import { bookingOutcomeUnknown } from "../../../src/flights/booking/outcome.ts";
import { findBookingReference } from "../../../src/flights/booking/reference.ts";
import { type ClientOptions, quoteToken, ServiceApi } from "../../../src/index.ts";
import type { SentCall } from "../../../src/operation.ts";
import { sample, samples } from "../samples.ts";

const documented = sample("book/success-lcc") as { readonly data: { readonly result: object } };

/** A response: HTTP status, body (a string is sent unchanged), headers. */
type Came = readonly [status: number, body: unknown, headers?: Readonly<Record<string, string>>];

const params = {
  trace_id: "T",
  token: quoteToken("q"),
  client_referenceId: "order-17",
  passengers: [],
} as const;

async function book([status, body, headers = {}]: Came, options: ClientOptions = {}, extraBody = {}) {
  let sent = 0;
  const api = new ServiceApi({
    baseUrl: "https://api.example.com",
    clientId: "c",
    clientSecret: "a-long-secret",
    ...options,
    fetch: async () => {
      sent++;
      const text = typeof body === "string" ? body : JSON.stringify(body);
      return new Response(status === 204 ? null : text, { status, headers });
    },
  });
  const call = api.flights.book(params, { validation: { request: "off" }, extraBody }).withResponse();
  const came = await call.then(
    (value) => ({ value, error: undefined }),
    (error: ServiceApiError) => ({ value: undefined, error }),
  );
  expect(sent).toBe(1);
  return came;
}

/** The outcome of `book`, in one line. */
async function toldOf(came: Came, options?: ClientOptions): Promise<string> {
  const { error } = await book(came, options);
  return error === undefined ? "booked" : `${error.outcome} ${error.name}`;
}

const failed = (message?: string, code: string | number | null = "400", more: object = {}): Came => [
  200,
  { status: "FAILED", ...(code !== null && { status_code: code }), message, ...more },
];
const named = (result: object, more: object = {}): object => ({ ...more, data: { trace_id: "T", result } });
const pnr = { pnr: "ABC123", booking_id: 5001 };
const to = { location: "/booking/7" };

const rejected = (errorClass: { readonly name: string }) => `rejected ${errorClass.name}`;
const unknown = "unknown BookingOutcomeUnknownError";
const duplicate = `unknown ${DuplicateRequestError.name}`;

describe("a booking that the response names and does not contradict is returned", () => {
  it.each<[string, Came]>([
    ["as §2.8 shows it", [200, named(pnr, { status: "SUCCESS", status_code: "200" })]],
    ["in lower case", [200, named(pnr, { status: "success" })]],
    ["without a verdict", [200, named(pnr)]],
    ["under a status that §4.3 does not show", [200, named(pnr, { status: "CONFIRMED" })]],
    ["with a PNR alone", [200, named({ pnr: "ABC123", booking_id: 0 }, { status: "SUCCESS" })]],
    ["with success: true", [200, named(pnr, { success: true, isSuccess: "true" })]],
    ["with an error that is none", [200, named(pnr, { error: "" })]],
    ["with an error that has no field", [200, named(pnr, { error: {} })]],
    ["with a list of no error", [200, named(pnr, { error: [] })]],
    ["with an error that is false", [200, named(pnr, { error: false })]],
    ["with a booking status of success", [200, named({ ...pnr, booking_status: "CONFIRMED", status: 200 })]],
    ["with a word of refusal elsewhere", [200, named({ ...pnr, refund: "not allowed" })]],
    ["with advice, without a verdict", [200, named(pnr, { message: "Booked. Check in early to avoid delays" })]],
    [
      "with an ID, and a message that says so",
      [200, named({ pnr: null, booking_id: "5001" }, { message: "Booking confirmed" })],
    ],
    ["in a sentence of the deployment", [200, named(pnr, { status: "SUCCESS", message: "Buchung 4711 liegt vor." })]],
    ["under HTTP 201", [201, named(pnr, { status: "SUCCESS" })]],
    ["under HTTP 303", [303, named(pnr, { status: "SUCCESS" }), to]],
    ["under HTTP 308", [308, named(pnr, { status: "SUCCESS" }), to]],
    ["under HTTP 400", [400, named(pnr, { status: "SUCCESS" })]],
    ["under HTTP 503", [503, named(pnr, { status: "SUCCESS" }), { "retry-after": "0" }]],
  ])("%s", async (_case, came) => {
    const knownMessages = { booked: ["buchung # liegt vor"] };
    expect(await toldOf(came, { knownMessages })).toBe("booked");
    // Its shape never throws it away.
    expect(await toldOf(came, { knownMessages, validation: { response: "strict" } })).toBe("booked");
    expect(await toldOf(came, { knownMessages, validation: { response: "off" } })).toBe("booked");
  });

  it.each<[string, Came, string]>([
    ["an HTTP status that is no success", [503, named(pnr, { status: "SUCCESS" })], "unexpected_http_status"],
    ["a redirect", [303, named(pnr, { status: "SUCCESS" }), to], "unexpected_http_status"],
    ["an undocumented status", [200, named(pnr, { status: "CONFIRMED" })], "unexpected_status"],
  ])("with a warning about %s", async (_case, came, code) => {
    const { value } = await book(came);
    expect(value?.warnings.map((issue) => issue.code)).toContain(code);
  });

  it.each([
    [1, 2, "unknown BookingOutcomeUnknownError"],
    ["1", "2", "unknown BookingOutcomeUnknownError"],
    [" 1 ", 2, "unknown BookingOutcomeUnknownError"],
    [2, "2", "booked"],
    ["10", "9", "booked"],
  ])("unless it is for too few: %j passengers of %j", async (passengers_booked, passengers_requested, told) => {
    const result = { ...documented.data.result, passengers_booked, passengers_requested };
    expect(await toldOf([200, { ...documented, data: { trace_id: "T", result } }])).toBe(told);
  });

  it.each<[string, boolean, object, object?]>([
    ["a code of success with a digit before it", false, pnr, { status: "SUCCESS", status_code: "5200" }],
    ["a code of success with a digit behind it", false, pnr, { status: "SUCCESS", status_code: "2009" }],
    ["an ID, and a message that names no booking", false, { booking_id: "5001" }, { message: "Done" }],
    ["an ID beside a placeholder", false, { booking_id: "5001/NULL" }, { message: "Booking confirmed" }],
    ["an ID beside a word", false, { booking_id: "5001/PENDING" }, { message: "Booking confirmed" }],
    ["a PNR that is a word with two lines in it", false, { pnr: "ON__HOLD", booking_id: 5001 }],
    ["a PNR of four letters, and an ID", true, { pnr: "ABCD", booking_id: 5001 }],
    ["a PNR behind the code of its airline", true, { pnr: "6E/ABC123", booking_id: 5001 }],
    ["two PNRs, of which one has four characters", false, { pnr: "ABC1,ABC123", booking_id: 5001 }],
    ["a ticket that follows", true, pnr, { message: "Booked. Tickets cancelled unless paid." }],
    ["seats that are held for now", true, pnr, { message: "Booked. Seats are held and cancelled unless you confirm." }],
    ["seats that are cancelled", false, pnr, { message: "Booked. Seats cancelled unless you confirm." }],
    ["another language at the end", false, pnr, { message: "Booked. Ticket séparé" }],
    ["another language at the start", false, pnr, { message: "Booked. Übertragung ticket" }],
    [
      "a count that is the largest, and not the last",
      false,
      { ...pnr, pax_requested: 3, total_requested: 1, booked: 2 },
    ],
    ["ten of twelve", false, { ...pnr, passengers_booked: "10", passengers_requested: "12" }],
    ["one and a half of two", false, { ...pnr, passengers_booked: "1.50", passengers_requested: "2" }],
    ["other bookings alone in its history", true, { ...pnr, history: [{ pnr: "XYZ999", status: "CANCELLED" }] }],
    [
      "itself in its history",
      false,
      {
        ...pnr,
        history: [
          { pnr: "XYZ999", status: "CANCELLED" },
          { pnr: "ABC123", status: "CANCELLED" },
        ],
      },
    ],
    ["a confirmation of zero", false, { ...pnr, is_confirmed: "0.00" }],
    ["a remark with one sentence that is known", false, { ...pnr, remarks: "Booked. Something odd happened" }],
    ["an error of zeros", true, { ...pnr, error: "000" }],
    ["an error of dashes", true, { ...pnr, error: "--" }],
    ["an error that only begins well", false, { ...pnr, error: "OK, but nothing was made" }],
    ["a code of HTTP 201", true, { ...pnr, response_code: "201" }],
    ["the code of an airline", true, { ...pnr, segments: [{ code: "6E" }] }],
    ["the code of an airport", true, { ...pnr, segments: [{ code: "DEL" }] }],
    ["the code of a meal", true, { ...pnr, meals: [{ code: "VGML" }] }],
    ["the code of a seat", true, { ...pnr, seats: [{ code: "12A" }] }],
    ["any other code", false, { ...pnr, code: "E1001" }],
  ])("or not, with %s", async (_case, isBooked, result, more = {}) => {
    const body = named(result, { status: "SUCCESS", ...more });
    expect(await toldOf([200, body])).toBe(isBooked ? "booked" : unknown);
  });

  it.each([
    [201, "booked"],
    [202, unknown],
  ])("without a verdict under HTTP %i: %s", async (status, told) => {
    expect(await toldOf([status, named(pnr)])).toBe(told);
  });

  it("without this warning if everything is as documented", async () => {
    const { result } = documented.data;
    const { value } = await book([200, { ...documented, data: { trace_id: "T", result } }]);
    expect(value?.warnings).toEqual([]);
  });

  it("asResponse() hands over a redirect that names one, too, with its URL", async () => {
    const api = new ServiceApi({
      baseUrl: "https://api.example.com",
      clientId: "c",
      clientSecret: "a-long-secret",
      fetch: async (url) => {
        const response = Response.json(named(pnr, { status: "SUCCESS" }), { status: 303, headers: to });
        return Object.defineProperty(response, "url", { value: String(url) });
      },
    });
    const response = await api.flights.book(params, { validation: { request: "off" } }).asResponse();
    expect([response.status, await response.json()]).toEqual([303, named(pnr, { status: "SUCCESS" })]);
    expect(response.url).toMatch(/^https:\/\/api\.example\.com\/.*book/);
  });
});

describe("a booking that the response names without calling it a success is unknown, and the error names it", () => {
  it.each<[string, Came]>([
    ["FAILED", failed("Booking failed: seats gone", "400", named(pnr))],
    ["FAILED, with all that §2.8 shows", [400, { ...documented, status: "FAILED" }]],
    ["failed, in lower case", [200, named(pnr, { status: "failed" })]],
    ["a booking status in a list", [200, named({ ...pnr, status: [200, 500] })]],
    ["a booking status in an object", [200, named({ ...pnr, status: { code: 1, name: "CANCELLED" } })]],
    ["a code alone", [200, named(pnr, { status_code: "400" })]],
    ["FAILED with HTTP 401", [401, named(pnr, { status: "FAILED" })]],
    ["FAILED, session expired", failed("Session expired", "400", named(pnr))],
    ["FAILED, already booked", failed("Already booked", "409", named(pnr))],
    ["FAILED with an ID alone", [400, named({ pnr: null, booking_id: 5001 }, { status: "FAILED" })]],
    ["PENDING", [200, named({ pnr: "", booking_id: 5001 }, { status: "PENDING" })]],
    ["PROCESSING", [200, named(pnr, { status: "PROCESSING" })]],
    ["a failure that §4.3 does not show", [200, named(pnr, { status: "CANCELLED" })]],
    ["a status that is false", [200, named(pnr, { status: false })]],
    ["NOT_CONFIRMED", [200, named(pnr, { status: "NOT_CONFIRMED" })]],
    ["UNCONFIRMED", [200, named(pnr, { status: "UNCONFIRMED" })]],
    ["TIMEOUT", [200, named(pnr, { status: "TIMEOUT" })]],
    ["REQUESTED", [200, named(pnr, { status: "REQUESTED" })]],
    ["a status that is a number", [200, named(pnr, { status: 500 })]],
    ["success: false", [200, named(pnr, { success: false })]],
    ["a message of failure alone", [200, named(pnr, { message: "Booking failed" })]],
    ["an error beside it", [200, named(pnr, { error: { code: "E1" } })]],
    ["success as a string", [200, named(pnr, { success: "false" })]],
    ["isSuccess: false", [200, named(pnr, { isSuccess: false })]],
    ["a status of 400", [200, named({ ...pnr, status: 400 })]],
    ["a PNR status of failure", [200, named({ ...pnr, PNR_Status: "CANCELLED" }, { status: "SUCCESS" })]],
    ["an error of a word", [200, named(pnr, { error: "Seats gone" })]],
    ["an error that is true", [200, named(pnr, { error: true })]],
    ["SUCCESS around a booking that is pending", [200, named({ ...pnr, status: "PENDING" }, { status: "SUCCESS" })]],
    ["SUCCESS around a booking that failed", [200, named({ ...pnr, booking_status: "FAILED" }, { status: "SUCCESS" })]],
    ["a redirect with FAILED", [303, named(pnr, { status: "FAILED" }), to]],
    ["FAILED and `PNR`", failed("no", "400", { PNR: "ABC123" })],
    ["SUCCESS and an ID, without a word", [200, named({ pnr: "", booking_id: 5001 }, { status: "SUCCESS" })]],
    ["a placeholder for a PNR beside an ID", [200, named({ pnr: "NA", booking_id: 5001 }, { status: "SUCCESS" })]],
    ["a message that may say anything", [200, named(pnr, { status: "SUCCESS", message: "Buchung fehlgeschlagen" })]],
    ["a PNR in `data`", [200, { status: "SUCCESS", data: pnr }]],
    ["a PNR in `result`", [200, { status: "SUCCESS", result: pnr }]],
    ["a PNR in a list", [200, { status: "SUCCESS", data: { result: [{ pnr: "" }, pnr] } }]],
    ["a PNR at the root", [200, { status: "SUCCESS", ...pnr }]],
    ["a PNR in capitals", [200, { status: "SUCCESS", PNR: "ABC123" }]],
    ["an ID in camel case", [200, { status: "SUCCESS", bookingId: 5001 }]],
    ["a PNR in a list of bookings", [200, { status: "SUCCESS", bookings: [{ pnr: "ABC123" }] }]],
    ["a PNR at a segment", [200, { status: "SUCCESS", data: { result: { segments: [{ pnr: "ABC123" }] } } }]],
    ["a redirect without a verdict", [302, named(pnr), to]],
    ["FAILED and `bookings`", failed("no", "400", { bookings: [{ pnr: "ABC123" }] })],
  ])("%s", async (_case, came) => {
    const { error } = await book(came);
    expect(error).toBeInstanceOf(BookingOutcomeUnknownError);
    const { pnr, bookingId, body, httpStatus, outcome } = error as BookingOutcomeUnknownError;
    expect([pnr ?? bookingId, outcome, httpStatus]).toEqual([
      expect.stringMatching(/^(ABC123|5001|\w{6})$/),
      "unknown",
      came[0],
    ]);
    expect(body).toEqual(JSON.parse(JSON.stringify(came[1])));
    expect(error?.message).toContain("names a booking");
    expect(Object.keys(error ?? {})).not.toEqual(expect.arrayContaining(["pnr"]));
    expect(JSON.stringify(error)).not.toContain("ABC123");
  });
});

describe("a response that names no booking", () => {
  const nothing = [
    "",
    " ",
    "NA",
    "na",
    "N/A",
    "n/a",
    " N / A ",
    "n.a.",
    "-",
    "--",
    "—",
    "null",
    "NULL",
    "None",
    "none",
    "nil",
    "pending",
    "PENDING",
    "Not Available",
    "in process",
    "failed",
    "0",
    "000000",
    "-1",
    "- 7",
    "0.0",
    0,
    -1,
    -5001,
    null,
    true,
    {},
    [],
  ];

  it.each(nothing)("as PNR or booking ID: %j", async (value) => {
    expect(findBookingReference(named({ pnr: value, booking_id: value }))).toBeUndefined();
    expect(await toldOf([200, named({ pnr: value, booking_id: 0 }, { status: "SUCCESS" })])).toBe(unknown);
    // `true` says that there is one, and a word or a number may say anything.
    const isOpen = value === true || /^(pending|in process|failed|not available|- ?[17]|-5001)$/i.test(String(value));
    expect(await toldOf(failed("Passenger name is invalid", "400", named({ pnr: value, booking_id: value })))).toBe(
      isOpen ? unknown : rejected(InvalidRequestError),
    );
  });

  it.each([
    " 0 ",
    "+0",
    "-5001",
    "XXXXXX",
    "NOPNRYET",
    "?ABC123",
    "ABC123 (old)",
    "ABC123".padEnd(81, "-DEF456"),
    "NO PNR",
    "not_generated",
    "Timeout",
    "UNCONFIRMED",
  ])("nor does %j, as either", (value) => {
    expect(findBookingReference({ pnr: value, booking_id: value })).toBeUndefined();
  });

  it.each([
    "PNR not generated",
    "not yet assigned",
    "To be generated",
    "Will be mailed within 24 hours",
    "INITIALISED",
    "PNR-PENDING",
    "ERROR-500",
    "<b>ABC123</b>",
  ])("a sentence or a word in its place, %j, which leaves the outcome open", async (value) => {
    expect(findBookingReference({ pnr: value, booking_id: value })).toBeUndefined();
    const { error } = await book([200, named({ pnr: value, booking_id: 0 }, { status: "SUCCESS" })]);
    expect(error).toBeInstanceOf(BookingOutcomeUnknownError);
    expect((error as BookingOutcomeUnknownError).body).toMatchObject({ data: { result: { pnr: value } } });
    expect(await toldOf(failed("Session expired", "400", named({ pnr: value })))).toBe(unknown);
  });

  it.each<[string, object]>([
    ["an echoed request", { request: { pnr: "OLD123" } }],
    ["an echoed request, deeper", { data: { requestBody: { booking: { pnr: "OLD123" } } } }],
    ["another booking", { existing_booking: { pnr: "OLD123", booking_id: 7 } }],
    ["a name that is not documented", { data: { record_locator: "ABC123" } }],
    ["a list of names", { data: { result: { airline_pnr: ["ABC123"] } } }],
  ])("%s, which leaves the outcome open", async (_case, body) => {
    expect(findBookingReference(body)).toBeUndefined();
    expect(await toldOf([200, { ...body, status: "SUCCESS" }])).toBe(unknown);
    expect(await toldOf(failed("Session expired", "400", body))).toBe(unknown);
  });

  it("an echoed request before the booking does not hide it", () => {
    expect(findBookingReference({ request: { pnr: "OLD123" }, requested: { deep: { pnr: "ABC123" } } })?.pnr).toBe(
      "ABC123",
    );
  });

  it("more objects than can be searched prove nothing", async () => {
    const flood = Array.from({ length: 25_000 }, () => ({}));
    expect(await toldOf(failed("Session expired", "400", { flood }))).toBe(unknown);
  });

  it.each(["ABC123/DEF456", "ABC123, DEF456", "ABC123 ,DEF456", "6E-ABC123", "ABCDEF", "ABC123".padEnd(80, "-DEF456")])(
    "but %j names one or several",
    (value) => {
      expect(findBookingReference({ pnr: value })?.pnr).toBe(value.replace(" ", ""));
    },
  );

  it.each<[string, object]>([
    ["`data.result`", { pnr: "NO1", result: { pnr: "NO2" }, data: { pnr: "NO3", result: { pnr: "ABC123" } } }],
    ["`data`, if that names none", { pnr: "NO1", result: { pnr: "NO2" }, data: { pnr: "ABC123", result: {} } }],
    ["`result`, if neither does", { pnr: "NO1", data: { result: {} }, result: { pnr: "ABC123" } }],
  ])("and of several places, %s counts first", (_case, body) => {
    expect(findBookingReference(body)?.pnr).toBe("ABC123");
  });

  it("but each of several is named once, however it is written", () => {
    const segments = [{ pnr: "abc123" }, { pnr: "NA" }, { pnr: "DEF456 / GHI789" }, { pnr: "DEF456" }];
    expect(findBookingReference({ pnr: "ABC123", segments, request: { pnr: "OLD123" } })?.pnrs).toEqual([
      "ABC123",
      "DEF456",
      "GHI789",
    ]);
    expect(findBookingReference({ booking_id: 7 })?.pnrs).toEqual([]);
  });

  it("but an ID that lost digits is none", () => {
    expect(findBookingReference({ booking_id: 2 ** 53 })).toBeUndefined();
    expect(findBookingReference({ booking_id: 2 ** 53 - 1 })?.bookingId).toBe(String(2 ** 53 - 1));
  });

  it("and the first of several bookings is the one that is named", () => {
    const bookings = [{ pnr: "NA" }, { pnr: "ABC123", booking_id: 1 }, { pnr: "DEF456", booking_id: 2 }];
    expect(findBookingReference({ bookings })).toMatchObject({ pnr: "ABC123", bookingId: "1" });
  });

  it.each(["BK-2026-11-0005001", "5f0c7b1e-0d3b-4a52-9f0e-2f1f6f0b7c11", "0E1234"])(
    "but %j names a booking",
    (value) => {
      expect(findBookingReference({ booking_id: value })?.bookingId).toBe(value);
    },
  );

  it.each(["NORMAND7", "7NOTABLE", "TOKYO1", "GOTO", "NA-X7Q2", "XXXX7", "7XXXX", "RESERVATION1", "1RESERVATION"])(
    "but %j, which is not all a word, names a booking",
    (value) => {
      expect(findBookingReference({ pnr: value })?.pnr).toBe(value);
    },
  );

  it.each(["NAX7Q2", "N4", "NONE12", "A0", "00A", "1", 7, "PNR001"])("but %j names a booking", (value) => {
    expect(findBookingReference({ pnr: value })?.pnr).toBe(String(value));
  });

  it.each(samples("book", "failed"))("no sample of a refusal: %s", (name) => {
    expect(findBookingReference(sample(name))).toBeUndefined();
  });

  it("a body that nests deeper than a stack, or is not an object", () => {
    const deep = JSON.parse(`${'{"a":['.repeat(100_000)}${"]}".repeat(100_000)}`);
    expect(findBookingReference(deep)).toBeUndefined();
    expect(findBookingReference({ deep, pnr: "ABC123" })?.pnr).toBe("ABC123");
    for (const body of [undefined, null, "PNR ABC123", 7]) expect(findBookingReference(body)).toBeUndefined();
  });
});

describe("of what `extraBody` adds, nobody knows whether the booking depends on it", () => {
  it.each([
    ["Insurance is not valid", { insurance: true }],
    ["Frequent flyer number is invalid", { passengers: [{ frequent_flyer_number: "ZZ1" }] }],
    ["Issue ticket is not valid", { issue_ticket: true }],
    ["Lounge access is required", { add_on: { lounge_access: "Y" } }],
  ])("%s", async (message, extraBody) => {
    const { error } = await book(failed(message), {}, extraBody);
    expect([error?.outcome, error?.name]).toEqual(["unknown", "BookingOutcomeUnknownError"]);
  });

  it.each([
    ["Passport is required", { passengers: [{ passport_number: "Z1" }] }],
    ["Trace id is invalid", { trace_id: "T2" }],
  ])("but a documented field is one, whoever sets it: %s", async (message, extraBody) => {
    const { error } = await book(failed(message), {}, extraBody);
    expect(error?.outcome).toBe("rejected");
  });
});

describe("a booking that already exists is a duplicate, however the response describes it", () => {
  it.each([
    "A booking with this client_referenceId already exists",
    "Already booked",
    "Already ticketed",
    "Booking already confirmed with the same criteria.",
    "client_referenceId already used",
    "client_referenceId has already been used",
    "This request was already processed",
    "PNR already created for this token",
    "Duplicate booking",
    "Duplicate client_referenceId",
    "DUPLICATE REQUEST",
    "Duplication of request",
    "Invalid token: this token was already booked",
    "Session expired: the order is already ticketed",
    "Flight no longer available: seats already booked",
  ])("%j", async (message) => {
    for (const code of ["400", "401", "409", "422", "E500", null]) {
      expect(await toldOf(failed(message, code))).toBe(duplicate);
    }
    expect(await toldOf([400, { message }])).toBe(duplicate);
    expect(await toldOf([429, { status: "FAILED", message }])).toBe(duplicate);
  });

  it.each<[string, Came]>([
    ["the code 208", failed("Done", "208")],
    ["the code 409", failed("Conflict", "409")],
    ["HTTP 409", [409, { status: "FAILED" }]],
  ])("%s", async (_case, came) => {
    expect(await toldOf(came)).toBe(duplicate);
  });

  it("and must not be booked again", async () => {
    expect((await book([429, { status: "FAILED", message: "Already booked" }])).error?.isRetryable).toBe(false);
  });
});

it("the page of a gateway that refused is called one, and the HTTP status of one that proves nothing is named", async () => {
  const page = "<html>The plain HTTP request was sent to HTTPS port</html>";
  const refused = (await book([400, page])).error;
  expect(refused).toMatchObject({ kind: "invalid", outcome: "rejected", body: page });
  expect(refused?.message).toMatch(
    /code none\), in a body that is not JSON\. A gateway may have written it: see `body`/,
  );
  expect((await book([400, "<html>400 Bad Request</html>"])).error?.message).toContain("made (HTTP 400)");
});

describe("an explicit refusal is rejected", () => {
  it.each<[string, Came, { readonly name: string }]>([
    ["HTTP 401 with its code", [401, { status: "FAILED", status_code: "401" }], AuthenticationError],
    ["HTTP 401 with a web page", [401, "<html>Unauthorized</html>"], AuthenticationError],
    ["an authentication failure under 400", failed("Authentication failure"), AuthenticationError],
    ["invalid credentials without a code", failed("Invalid client credentials", null), AuthenticationError],
    ["HTTP 403 with its code", [403, { status: "FAILED", status_code: "403" }], PermissionError],
    ["an IP address that is not registered", failed("IP address is not registered."), PermissionError],
    ["HTTP 404 with its code", [404, { status: "FAILED", status_code: "404" }], NotFoundError],
    ["HTTP 404 of a gateway", [404, { message: "no Route matched" }], NotFoundError],
    ["the code 429", failed("Too many requests", "429"), RateLimitError],
    ["HTTP 429 without a body", [429, ""], RateLimitError],
    ["an insufficient balance under 400", failed("Insufficient agency balance"), InsufficientBalanceError],
    ["an invalid token", failed("Invalid token"), SessionExpiredError],
    ["an expired session without a code", failed("Your session TraceID is expired", null), SessionExpiredError],
    ["a flight that is gone", failed("Flight no longer available"), OfferUnavailableError],
    ["a price that changed before", failed("Price has changed. Please re-quote.", "409"), OfferUnavailableError],
    ["another trace", failed("trace_id does not match."), TraceMismatchError],
    ["a request that is invalid", failed("Passenger name is invalid"), InvalidRequestError],
    ["… under the code 422", failed("GST details are mandatory for this fare.", "422"), InvalidRequestError],
    ["… under HTTP 422 without a code", [422, { status: "FAILED", message: "dob is required" }], InvalidRequestError],
    ["… with the code as a number", failed("Passenger name is invalid", 400), InvalidRequestError],
    ["… in `data`", failed(undefined, "400", { data: { errors: ["GST number is required"] } }), InvalidRequestError],
    [
      "… in the result",
      failed(undefined, "400", { data: { result: { message: "GST number is required" } } }),
      InvalidRequestError,
    ],
    ["… in a list", [400, ["GST number is required"]], InvalidRequestError],
    ["… of tomorrow", failed("Passport expires before departure"), InvalidRequestError],
    ["HTTP 405 without a body", [405, ""], InvalidRequestError],
    ["HTTP 301", [301, "", to], ApiError],
    ["HTTP 307", [307, "", to], ApiError],
    ["HTTP 308", [308, "", to], ApiError],
  ])("%s", async (_case, came, errorClass) => {
    expect(await toldOf(came)).toBe(rejected(errorClass));
  });
});

describe("everything else is unknown", () => {
  it.each([
    { status_text: "FAILED" },
    { http_status: 400 },
    { code: 7 },
    ["", "Sorry"],
    0,
    { status: "Failures" },
    { status: "Not failed" },
    { status: "FAILED", status_code: "401" },
  ])("HTTP 400 that says %j", async (body) => {
    expect(await toldOf([400, JSON.stringify(body)])).toBe(unknown);
  });

  it.each([
    "Booking under process, please check after some time",
    "Booking is in progress.",
    "Booking in process",
    "Your booking is being processed",
    "Still processing",
    "Processing failed",
    "Booking pending at airline end",
    "Booking request submitted, awaiting confirmation",
    "Awaiting airline response",
    "Booking queued",
    "Supplier timed out while booking",
    "Airline time-out",
    "Request timeout",
    "Supplier is down",
    "Airline is not responding",
    "Internal server error",
    "Internal error",
    "System error",
    "Temporary system error",
    "Service unavailable",
    "Something went wrong",
    "Please try again",
    "Unable to book, try again later",
    "Partially booked",
    "Partial booking is successful.",
    "Booking status unknown",
    "Booking on hold",
    "Network error at the airline",
  ])("FAILED with the code 400 and %j", async (message) => {
    for (const code of ["400", "422", null]) expect(await toldOf(failed(message, code))).toBe(unknown);
    expect(await toldOf([400, { status: "FAILED", message }])).toBe(unknown);
    expect(await toldOf([400, { error: message }])).toBe(unknown);
    expect(await toldOf([400, message])).toBe(unknown);
    expect(await toldOf(failed(message.toUpperCase()))).toBe(unknown);
  });

  it.each([
    "E500",
    "0",
    "200",
    "100",
    "300",
    "410",
    "418",
    "424",
    "460",
    "499",
    "500",
    "503",
    "599",
    0,
    500,
    "",
    "null",
    null,
  ])("FAILED with the code %j", async (code) => {
    expect(await toldOf(failed("Booking was not made", code))).toBe(unknown);
  });

  it.each([
    [204, ""],
    [200, ""],
    [200, "<html></html>"],
    [200, "OK"],
    [200, "null"],
    [200, "[]"],
    [200, "{}"],
    [200, '{"status":"SUCC'],
    [200, { status: "SUCCESS" }],
    [200, { status: "PENDING", message: "Invalid token" }],
    [200, { status: "PROCESSING" }],
    [300, ""],
    [302, ""],
    [303, ""],
    [305, ""],
    [301, '{"data":{"result":{"pnr":"AB'],
    [301, { status: "SUCCESS" }],
    [301, { status: "FAILED" }],
    [302, { status: "FAILED", status_code: "400" }],
    [302, { status: "FAILED", message: "Session expired" }],
    [200, { status: "FAILED", status_code: "400" }],
    [400, { code: "BOOKING_PENDING" }],
    [308, { message: "Your booking request was accepted" }],
    [400, '{"data":{"result":{"pnr":"AB'],
    [400, { status: "SUCCESS" }],
    [400, ""],
    [400, { status: "FAILED", status_code: "400" }],
    [400, { statusCode: 400, data: null, message: "" }],
    [400, { status: "FAIL" }],
    [400, ["", null]],
    [400, "<html>400 Bad Request</html>"],
    [422, ""],
    [422, { message: "Unprocessable Entity: GST number" }],
    [307, "<html>Temporary Redirect</html>"],
    [408, ""],
    [408, { status: "FAILED", status_code: "400" }],
    [410, ""],
    [418, ""],
    [421, { status: "FAILED" }],
    [424, ""],
    [425, ""],
    [460, ""],
    [499, ""],
    [500, { status: "FAILED", status_code: "400", message: "Passenger name is invalid" }],
    [500, { status: "FAILED", status_code: "402", message: "Insufficient balance" }],
    [200, { status: "FAILED", status_code: "402" }],
    [200, { status: "FAILED", status_code: "E17", message: "Seat sold out" }],
    [500, ""],
    [502, "<html></html>"],
    [503, { status: "FAILED" }],
    [504, ""],
    [520, "<html></html>"],
    [599, {}],
  ] as const)("HTTP %i with %j", async (status, body) => {
    expect(await toldOf([status, body, status > 299 && status < 400 ? to : {}])).toBe(unknown);
  });
});

describe("what may be there already is not rejected", () => {
  it.each(
    // Codes, whose words are joined.
    `DUPLICATE_BOOKING: client_referenceId must be unique
    ALREADY_BOOKED: passengers not allowed
    TICKET_ISSUED; invalid meal
    BookingConfirmed, invalid meal request
    SEATS_RESERVED, GST number is required
    client_referenceId must be unique
    client_referenceId must not be reused
    client_referenceId is in use; must be different
    Invalid client_referenceId
    client_referenceId must be new
    client_referenceId is required to differ
    client_referenceId is required to be one that was not taken
    Same passenger name is not allowed twice on this flight
    A booking exists for this passenger. Multiple bookings are not allowed
    An identical reservation exists for the passenger; not permitted
    A similar trip exists: passenger not allowed
    Unable to retrieve the reservation. Session expired.
    Unable to retrieve booking, session expired
    Session expired after booking
    Session expired. Check your bookings first
    Could not fetch the itinerary: token expired
    Session expired. Order X7GH2K was generated
    Booking succeeded but the meal request is invalid
    Booking OK. Meal is not supported on this flight
    Seat not allowed, booking done without seat
    Reservation X7GH2K made. Infant dob is required
    Record locator X7GH2K. Infant dob is required
    Flight segments are HK; meal request is not supported
    Selected seat is not available. Another seat was assigned.
    Fare has changed. The booking went through at INR 7600
    Price changed; the new fare was applied and paid
    Payment captured; GST number format is invalid
    Insufficient balance. Seats blocked until 18:00
    Insufficient balance. Hold expires in 24 hours
    Booking rejected: a similar booking exists, passenger not allowed
    Passport number is required for booking X7GH2K
    GST details are required for this booking to be ticketed
    Payment is required for this booking, passenger must pay
    Seats not available for booking X7GH2K
    Booking found on this server, meal not available
    Booking session expired for booking X7GH2K
    Another request with this token is running; not permitted
    Concurrent request with the same token is not allowed
    Idempotency key mismatch: request payload does not match
    Request replay is not allowed
    Nonce has been seen before; request not valid
    Invalid token: it was used
    Token can be used only once; invalid token
    Multiple requests for the passenger are not allowed
    Conflicting passenger record, not allowed
    Segment sold (HK1). SSR is not supported
    Post-sell validation failed, sell is ok: title is missing
    EndTransact failed: invalid email format
    Commit failed: invalid payload
    RLOC X7GH2K; invalid meal code
    Wait listed: fare not allowed
    1 of 2 segments failed: fare is not valid
    Record saved. Seat code is invalid
    Amount will be refunded in 5 days. Passenger name is invalid
    Fare has changed, the difference was collected
    Debit of INR 7600; GST format invalid
    Payment authorized, GST number is missing
    Approved. Passenger name format is invalid
    Insufficient balance, auto-cancel at 18:00
    Insufficient balance: your seats will be released at 18:00
    Rollback failed; passenger name is invalid
    Cancellation failed; passenger title is missing
    Forwarded to the airline, GST number is missing
    Could not send mail: invalid email address
    SMS could not be sent: invalid mobile number
    You will be notified. Passenger name is invalid
    Confirm\u00e9e; passenger name is invalid
    Vol re\u0301serve\u0301, GST number is required
    Best\u00e4tigt, GST number is required
    P\u00adNR, GST number is required
    seats/booked: GST number is required
    Booking\u00ad con\u00adfirmed, GST number is required
    \uff22\uff4f\uff4f\uff4b\uff45\uff44, GST number is required`
      .split("\n")
      .map((line) => line.trim()),
  )("FAILED with the code 400 and %j", async (message) => {
    expect(await toldOf(failed(message))).not.toMatch(/^rejected/);
    expect(await toldOf(failed("Passenger name is invalid", "400", { error: { code: message } }))).toBe(unknown);
    expect(await toldOf(failed(message, "404"))).not.toMatch(/^rejected/);
  });

  it.each(
    `Booking exists
    Reservation not found
    Order not found
    Trip not found
    Reserva confirmada, asiento no encontrado
    Reservation confirmee, siege introuvable
    Buchung bestaetigt, Sitzplatz nicht gefunden
    Booking ho gayi hai, seat nahi mila
    Booking: SUCCESS. Seat map not found`
      .split("\n")
      .map((line) => line.trim()),
  )("the code 404 and %j", async (message) => {
    expect(await toldOf(failed(message, "404"))).toBe(unknown);
  });

  it.each<Came>([
    [422, { status: "DUPLICATE", status_code: "208" }],
    [400, { status: "FAILED", status_code: "208" }],
    [400, { status: "FAILED", status_code: "202" }],
    [404, { status: "FAILED", status_code: "202" }],
    [404, { status: "FAILED", status_code: "200" }],
    [404, { status: "FAILED", status_code: "101" }],
    [400, { status: "FAILED", status_code: "200", message: "Session expired" }],
    [200, { status: "FAILED", status_code: "100", message: "Session expired" }],
    [422, { status: "DUPLICATE" }],
    [200, { status: "DUPLICATE", status_code: "404" }],
    [400, { status: "HOLD" }],
    [400, { status: "OK" }],
    [400, { status: true }],
    [400, { status: "X7GH2K" }],
    [400, { status_code: "200" }],
    [404, { success: true }],
    [404, { is_booked: 1 }],
    [404, { confirmed: "Yes" }],
    [400, "true"],
    [400, "5001"],
    [404, '"X7GH2K"'],
    [404, '["X7GH2K"]'],
    [404, '["", "X7GH2K"]'],
    [409, { status: "FAILED", status_code: "400", message: "Passenger name is invalid" }],
    [409, { status: "FAILED", status_code: "404" }],
    [201, { status: "FAILED", status_code: "404" }],
    [202, { status: "FAILED", status_code: "404" }],
    [206, { status: "FAILED", status_code: "400", message: "Passenger name is invalid" }],
    [299, { status: "FAILED", status_code: "403" }],
  ])("HTTP %i with %j", async (...came) => {
    expect(await toldOf(came as unknown as Came)).not.toMatch(/^rejected/);
  });

  it.each(
    (
      "warning warnings info note title result response fault text comment booking_state payment_status userMessage " +
      "statusDesc data errorDesc"
    ).split(" "),
  )("a sentence in `%s`", async (key) => {
    expect(await toldOf(failed("Session expired", "400", { [key]: "Booking was made, PNR awaited" }))).toBe(unknown);
  });

  it.each(
    (
      "reservation_id confirmation_code order_id supplier_pnr pnr_list pnr1 AirlinePNRs reservation_number gds_record " +
      "universal_locator eticket_number airline_ref itinerary_number book_ref"
    ).split(" "),
  )("a name in `%s`", async (key) => {
    expect(await toldOf(failed("Session expired", "400", { data: { result: { [key]: "X7GH2K" } } }))).toBe(unknown);
  });

  it.each<object>([
    { data: { status: "SUCCESS" } },
    { data: { result: { booking: { status: "CONFIRMED" } } } },
    { data: { result: { segments: [{ flight_status: "Confirmed" }] } } },
    { data: JSON.stringify({ result: { pnr: "ABC123" } }) },
    // The name itself in the place of an object.
    { data: "ABC123" },
    { data: 5001 },
    { data: { result: "ABC123" } },
    { result: "ABC123" },
    { data: { rloc: "ABC123" } },
    // A flag under any name.
    { booking_created: true },
    { data: { pnr_generated: true } },
    { data: { result: { seats_booked: true } } },
    { data: { held: true } },
    { is_duplicate: true },
    { errors: { duplicate: ["passenger not allowed"] } },
  ])("%j", async (more) => {
    expect(await toldOf(failed("Meal code is invalid", "400", more))).toBe(unknown);
    expect(await toldOf(failed("no", "404", more))).toBe(unknown);
  });

  it.each<[string, Came]>([
    ["behind its styles", [404, `<style>${".a{color:red}".repeat(200)}</style><h1>Your booking is confirmed</h1>`]],
    ["behind styles of any length", [404, `<style>${".a{}".repeat(10_000)}</style><h1>Your booking is confirmed</h1>`]],
    ["behind more than is read", [403, `<html>${"<p>Forbidden</p>".repeat(2_000)}Your booking is confirmed</html>`]],
    ["behind a script", [403, `<script>${"f();".repeat(400)}</script>Your request is being processed`]],
    ["behind a comment", [400, `<html>${"<!-- pad -->".repeat(200)}400 Bad Request: duplicate booking</html>`]],
    ["in XML", [404, '<?xml version="1.0"?><r><Status>SUCCESS</Status></r>']],
    ["in two lines of JSON", [404, '{"status":"FAILED"}\n{"data":{"result":{"pnr":"ABC123"}}}']],
  ])("what a page says %s", async (_case, came) => {
    expect(await toldOf(came)).not.toMatch(/^rejected/);
  });
});

describe("a plain refusal is rejected, whatever else it says", () => {
  it.each<[string, Came]>([
    ["a path, in JSON", [404, { status: 404, error: "Not Found", path: "/flight/book" }]],
    ["a path, on a page", [404, "<html><body><pre>Cannot POST /api/flight/book</pre></body></html>"]],
    ["a URL in a sentence", [404, { message: "No route to http://api.example.com/flight/book" }]],
    [
      "the page of Apache",
      [
        404,
        "<h1>Not Found</h1><p>The requested URL was not found on this server.</p><address>Apache/2.4 Server at api.example.com Port 443</address>",
      ],
    ],
    ["… with a path", [403, "<p>You don't have permission to access /flight/book on this server.</p>"]],
    [
      "… for what it cannot read",
      [400, "Bad Request: your browser sent a request that this server could not understand."],
    ],
    [
      "… for credentials",
      [401, "This server could not verify that you are authorized to access the document requested."],
    ],
    [
      "the page of Tomcat",
      [
        404,
        "<h1>HTTP Status 404 – Not Found</h1><p>Type Status Report</p><p>The origin server did not find a current representation for the target resource or is not willing to disclose that one exists.</p>",
      ],
    ],
    ["a route", [404, { message: "The route api/flight/book could not be found." }]],
    ["what it needs for a booking", failed("PAN is required for this booking")],
    ["… to book", failed("GST details are mandatory to book this fare.")],
    ["… at a booking", failed("Passport number is mandatory for international booking, please provide")],
    ["a reference that is missing", failed('"client_referenceId" is required')],
    ["a reference that is too long", failed("client_referenceId must be at most 30 characters")],
    ["the session of a booking", failed("Your booking session has expired. Please search again.")],
    ["the token of a booking", failed("Invalid booking token")],
    ["what cannot be booked", failed("The flight you selected is no longer available for booking.")],
    ["a code of no class", failed("Session expired", "99")],
    ["the code 200 under HTTP 200", failed("Session expired", "200")],
    ["a PNR of 80 dashes", failed("Session expired", "400", { pnr: "-".repeat(80) })],
    ["rights that are reserved", [403, "<html><h1>Forbidden</h1><p>All rights reserved.</p></html>"]],
    ["styles", [403, "<style>.order{}</style><h1>Forbidden</h1>"]],
    ["the reference of a gateway", [403, "<H1>Access Denied</H1> Reference #18.2d351ab8.1577"]],
    ["another flight", failed("Flight no longer available. Please select another flight.")],
    ["to book again", failed("Your session has expired. Please book again.")],
    ["a booking that failed", failed("Booking failed: passenger name is invalid")],
    ["a booking that is not allowed", failed("Booking is not allowed: passport number is required")],
    ["unable to book", failed("Unable to book: GST number is required")],
    ["an account that is not approved", [403, { message: "Your IP address is not approved" }]],
    ["too many calls at once", [429, { message: "Too many concurrent requests" }]],
    ["the wrong port", [400, "<center>The plain HTTP request was sent to HTTPS port</center> 400 Bad Request"]],
    ["a field with an underscore", failed("gst_number is required")],
    ["empty places", failed("Session expired", "400", { data: null, errors: [], result: {}, pnr: "", order_id: 0 })],
    [
      "a seat that is not booked",
      failed("Session expired", "404", { data: { result: { seats_booked: false, duplicate: false } } }),
    ],
    ["flags that are false", failed("Session expired", "400", { success: false, is_booked: 0, confirmed: "no" })],
  ])("%s", async (_case, came) => {
    expect(await toldOf(came)).toMatch(/^rejected/);
  });
});

describe("a booking that its response denies is not returned", () => {
  const success = (result: object, more: object = {}): Came => [
    200,
    { status: "SUCCESS", status_code: "200", ...more, data: { trace_id: "T", result } },
  ];

  it.each<[string, Came]>([
    ["an HTTP status of a refusal, without a verdict", [401, named(pnr)]],
    ["an HTTP 400, without a verdict", [400, named(pnr)]],
    ["a status in `result`", [200, { status: "SUCCESS", result: { status: "FAILED", booking: pnr } }]],
    ["a conflict", [409, { message: "Not possible", conflict: pnr }]],
    ["the one that it duplicates", [409, { message: "Duplicate booking", duplicate_of: pnr }]],
    ["similar ones", [200, { status: "OK", similar_bookings: [pnr] }]],
    ["a status around it", success({ status: "FAILED", booking: pnr })],
    ["an error beside it", success({ ...pnr, error: { code: "E1", message: "Airline rejected it" } })],
    ["an error in `data`", [200, { status: "SUCCESS", data: { error: "Airline rejected it", result: pnr } }]],
    ["errors at the root", success(pnr, { errors: [{ message: "Airline declined" }] })],
    ["a state", success({ ...pnr, state: "CANCELLED" })],
    ["a state of the booking", success({ ...pnr, booking_state: "CANCELLED" })],
    ["a status code of airlines", success({ ...pnr, booking_status: "HX" })],
    ["a flag", success({ ...pnr, is_booked: false })],
    ["a flag in words", success({ ...pnr, success: "No" })],
    ["a flag as a number", success({ ...pnr, confirmed: 0 })],
    ["the code of a refusal", success(pnr, { status_code: "400" })],
    ["the message", success(pnr, { message: "Your booking was not confirmed" })],
    ["the code of an error", success({ ...pnr, error_code: "E17" })],
    ["the code of an error, without a verdict", [200, { ...pnr, ErrorCode: 12 }]],
    ["a message of a flight", success(pnr, { message: "Sorry, flight booking failed" })],
    ["a message that it could not be", success(pnr, { message: "Your booking could not be confirmed" })],
    ["a message that they were unable", success(pnr, { message: "Unable to confirm the booking" })],
    ["a message of the error", success({ ...pnr, error_message: "Booking failed at the supplier" })],
    ["a message of the error, without a verdict", [200, { ...pnr, errorMessage: "Reservation rejected" }]],
    ["a word of denial, without a verdict", [200, { message: "Denied by the carrier", ...pnr }]],
    ["a message in `data`, without a verdict", [200, { data: { message: "Booking failed", result: pnr } }]],
  ])("%s", async (_case, came) => {
    expect((await book(came)).error?.outcome).toBe("unknown");
  });

  it.each<[string, Came]>([
    ["an error with the code 0", success(pnr, { Error: { ErrorCode: 0, ErrorMessage: "" } })],
    ["a list with an empty error", success(pnr, { errors: [{}] })],
    ["a flag that is a word", success({ ...pnr, success: "Now", confirmed: "2027-02-10" })],
    ["errors that are empty", success({ ...pnr, errors: [], error: null }, { error: "" })],
    ["a seat that failed", success(pnr, { message: "Booking successful. Seat selection failed" })],
    ["ticketing that follows", success(pnr, { message: "Booking succeeded. Ticketing must follow." })],
    ["the next step", success(pnr, { message: "Booking successful; proceed with ticketing" })],
    ["the number of a credit note", success({ ...pnr, credit_note_no: "CN123" })],
    ["the code of no error", success({ ...pnr, error_code: "0" }, { errorCode: null, ErrorCode: "SUCCESS" })],
    ["a remark", success({ ...pnr, remark: "Unable to confirm seats", reason: "" })],
    ["flags that are true", success({ ...pnr, success: "true", is_booked: 1, confirmed: true })],
  ])("but %s denies nothing", async (_case, came) => {
    expect(await toldOf(came)).toBe("booked");
  });
});

describe("in the wording of airlines, distribution systems and agencies", () => {
  /** HTTP status, the body's own code (null if it has none), message. */
  type Said = readonly [status: number, code: string | null, message: string];
  const say = ([status, code, message]: Said): Came => [
    status,
    { status: "FAILED", ...(code !== null && { status_code: code }), message },
  ];

  it.each<Said>([
    // Something is under way, or done.
    [200, "400", "Flight booking status not available"],
    [400, "400", "Flight booked, PNR not available"],
    [400, "400", "Booking request accepted, seat confirmation unavailable"],
    [502, null, "Booking request accepted, seat confirmation unavailable"],
    [429, null, "Too many requests; your booking is pending"],
    [200, "429", "Too many requests; your booking is pending"],
    [404, "404", "PNR not found"],
    [404, null, "Booking not found after ticketing"],
    [403, "403", "Ticketing is not allowed for this PNR"],
    [401, "401", "Token expired while the booking was being confirmed"],
    [402, "402", "Insufficient balance to issue the ticket"],
    [200, "400", "Ticket issuance failed after PNR creation"],
    [200, "400", "Insufficient balance, the reservation is held for 30 minutes"],
    [200, "400", "Unable to confirm with airline"],
    [200, "400", "Amount debited, flight not available"],
    [200, "400", "Session expired after booking was submitted"],
    [200, "400", "Passenger name is invalid in the PNR"],
    [200, "400", "Booking request received, invalid passenger name"],
    // Something broke.
    [504, null, "Flight supplier is unavailable"],
    [200, "400", "Flight supplier is unavailable"],
    [500, null, "Airline session timed out while confirming the booking"],
    [200, "400", "Airline session timed out while confirming the booking"],
    [200, "400", "Session timed out"],
    [400, "400", "Connection reset by GDS"],
    [400, "400", "Technical error"],
    [400, "400", "Server busy"],
    [400, "400", "Unknown error"],
    [400, "400", "Error occurred while booking"],
    [400, "400", "Something failed"],
    [400, "400", "Invalid response from airline session"],
    [400, "400", "UNABLE TO PROCESS - INVALID PASSENGER NAME"],
    [400, "400", "Object reference not set to an instance of an object."],
    [400, "400", "Name or service not known"],
    [401, "401", "Supplier authentication failed"],
    [404, null, "Upstream server not found"],
    // It does not say why.
    [400, "400", "Booking failed"],
    [422, "422", "Booking failed. You should contact the airline"],
    [400, "400", "Passenger 1: manual action required"],
    [400, "400", "Invalid"],
    [400, "400", "Passenger"],
    // A status that leaves it open, with words that would close it.
    [500, null, "Invalid token"],
    [500, "400", "GST number is required"],
    [503, "409", "Price has changed"],
    [503, "402", "Insufficient balance"],
    [504, "401", "Invalid credentials"],
    [200, "400", "No seats available"],
    [408, null, "Session expired"],
    [401, "500", "Unauthorized"],
    // A code without words is not the word of a gateway.
    [200, "401", ""],
    [200, "403", ""],
    [200, "404", ""],
    [422, "404", ""],
    // It may be one of several.
    [200, "400", "The selected flight 6E 2134 is no longer available."],
    [200, "400", "Seats are not available in the requested class"],
    [400, "400", "Flight AI 303 is sold out. Please search again"],
    [400, "400", "Fare not available for this sector"],
    [400, "400", "Flight not available on this date"],
    [400, "400", "No flights available on the date"],
    [400, "400", "No flights found for this route"],
    [400, "400", "No seats available in this class"],
  ])("HTTP %i, code %s, %j is unknown", async (...said) => {
    expect(await toldOf(say(said))).toBe(unknown);
  });

  it.each<readonly [...Said, { readonly name: string }]>([
    [200, "400", "Invalid token", SessionExpiredError],
    [400, null, "Session expired, please search again", SessionExpiredError],
    [200, "400", "Your session has expired. Please try again.", SessionExpiredError],
    [200, "400", "Flight no longer available", OfferUnavailableError],
    [200, "400", "The selected flight is no longer available.", OfferUnavailableError],
    [200, "400", "Flight unavailable", OfferUnavailableError],
    [200, "400", "Seats are not available on the requested flight", OfferUnavailableError],
    [200, "400", "This flight is fully booked", OfferUnavailableError],
    [200, "400", "Fare has changed, please confirm the new fare", OfferUnavailableError],
    [200, "409", "Price has been changed", OfferUnavailableError],
    [200, "400", "Booking failed: insufficient balance", InsufficientBalanceError],
    [200, "400", "Insufficient balance. Please contact support.", InsufficientBalanceError],
    [200, "400", "trace_id does not match", TraceMismatchError],
    [429, null, "Too many requests, please try again later", RateLimitError],
    [429, null, "API rate limit exceeded", RateLimitError],
    [403, null, "Forbidden", PermissionError],
    [404, null, "no Route matched with those values", NotFoundError],
    [200, "400", "GST number is required", InvalidRequestError],
    [422, "422", "Passport number must be 8 characters", InvalidRequestError],
    [200, "400", "Date of birth of infant should be less than 2 years", InvalidRequestError],
    [200, "400", "First name exceeds 32 characters", InvalidRequestError],
    [200, "400", "PAN is mandatory for this fare", InvalidRequestError],
    [400, null, "Invalid email format", InvalidRequestError],
    [200, "400", "Infant cannot travel without an adult: at least one adult required", InvalidRequestError],
    [400, null, "Bad request: malformed body", InvalidRequestError],
  ])("HTTP %i, code %s, %j is rejected", async (status, code, message, errorClass) => {
    expect(await toldOf(say([status, code, message]))).toBe(rejected(errorClass));
  });

  it.each<[string, object]>([
    ["`description`", { description: "Booking is pending" }],
    ["`error`", { error: "PNR created" }],
    ["`errors`", { errors: [{ message: "Supplier did not respond" }] }],
    ["`data`", { data: { message: "Awaiting confirmation" } }],
  ])("the text of %s counts too", async (_where, more) => {
    expect(await toldOf(failed("Session expired", "400", more))).toBe(unknown);
    expect(await toldOf(failed("Passenger name is invalid", "400", more))).toBe(unknown);
    expect(await toldOf(failed("no", "401", more))).toBe(unknown);
  });
});

describe("what is not looked through proves nothing", () => {
  const places = (count: number) => ({ list: [...Array.from({ length: count - 3 }, () => ({})), pnr] });

  it("the list of an echoed request names no booking", () => {
    expect(findBookingReference({ request: { segments: [pnr] } })).toBeUndefined();
  });

  it("a PNR is found in 20,000 objects, and in no more", () => {
    expect(findBookingReference(places(20_000))).toMatchObject({ pnr: "ABC123" });
    expect(findBookingReference(places(20_001))).toBeUndefined();
    expect(findBookingReference({ list: [...Array.from({ length: 50_000 }, () => null), pnr] })).toBeDefined();
  });

  it("a refusal with more values, or a longer text, than a refusal has is unknown", async () => {
    const errors = (count: number) => ({ errors: Array.from({ length: count }, () => "Passenger name is invalid") });
    expect(await toldOf(failed("Session expired", "400", errors(1_000)))).toBe(rejected(SessionExpiredError));
    expect(await toldOf(failed("Session expired", "400", errors(3_000)))).toBe(unknown);
    const text = (length: number) => "Session expired. ".repeat(length / 17);
    expect(await toldOf(failed(text(15_000)))).toBe(rejected(SessionExpiredError));
    expect(await toldOf(failed(text(17_000)))).toBe(unknown);
    const numbered = (count: number) => Array.from({ length: count }, (_, i) => `Passenger ${i}: name is invalid`);
    expect(await toldOf(failed("Session expired", "400", { errors: numbered(100) }))).toBe(
      rejected(SessionExpiredError),
    );
    expect(await toldOf(failed("Session expired", "400", { errors: numbered(400) }))).toBe(unknown);
  });

  it("a booking with more values than a booking has is unknown", async () => {
    const holding = (count: number) => named({ ...pnr, more: Array.from({ length: count }, () => ({})) });
    expect(await toldOf([200, holding(1_000)])).toBe("booked");
    expect(await toldOf([200, holding(200_000)])).toBe(unknown);
  });

  it.each<[string, object]>([
    ["details of an error", { error: { details: [{ message: "Booking was created at the airline" }] } }],
    ["an object of details", { details: { text: "The booking was made" } }],
    ["errors by field", { errors: { booking: ["was created already"] } }],
    ["lists of errors", { errors: [["The booking was made"]] }],
    ["errors in data", { data: { errors: [{ reason: "The booking was made" }] } }],
    ["a status in data", { data: { booking_status: "CONFIRMED" } }],
    ["another spelling", { Error: "The booking was made" }],
    ["a state", { data: { result: { state: "TICKET_AWAITED" } } }],
  ])("but all that speaks of it is read: %s", async (_case, more) => {
    expect(await toldOf(failed("Passenger name is invalid", "400", more))).toBe(unknown);
    expect(await toldOf(failed("Passenger name is invalid", "400", { data: { results: [more] } }))).toBe(unknown);
  });

  it("but what the request had proves nothing", async () => {
    const more = {
      data: { trace_id: "T", token: "q" },
      client_referenceId: "order-17",
    };
    expect(await toldOf(failed("Passenger name is invalid", "400", more))).toBe(rejected(InvalidRequestError));
  });

  it.each<[string, Came]>([
    ["BOOKED", [422, { status: "BOOKED" }]],
    ["an object", [422, { status: { state: "CONFIRMED" } }]],
    ["an object of other words", [400, { status: { is: true } }]],
    ["a list", [400, { status: ["Booking was made"] }]],
    ["a message that is an object, of a path that is missing", [404, { message: { text: "Booking was made" } }]],
    ["a message in a list, of credentials that are missing", [401, { message: [{ text: "Booking was made" }] }]],
    ["a list in place of the body", [404, [{ message: "Booking was made" }]]],
    ["a list of data", [404, { data: [{ message: "Booking was made" }] }]],
    ["a list of results", [404, { data: { result: ["Booking was made"] } }]],
    ["of a redirect", [301, { status: { text: "Booking was made" } }, to]],
  ])(
    "a `status`, message or body that is a word of success, a list or an object is unknown: %s",
    async (_case, came) => {
      expect(await toldOf(came)).toBe(unknown);
    },
  );

  it("the last of many strings may say that something broke", async () => {
    const errors = [...Array.from({ length: 24 }, (_, i) => ({ message: `Seat ${i}` })), { message: "GDS timed out" }];
    expect(await toldOf(failed("Passenger name is invalid", "400", { errors }))).toBe(unknown);
  });
});

describe("the error of an unknown outcome", () => {
  const errorFor = async (came: Came, options?: ClientOptions) => (await book(came, options)).error;

  it.each<[string, Came, string]>([
    ["under process", failed("Booking under process"), "the service was still working on it or had done a part of it"],
    ["HTTP 500", [500, {}], "the service failed while it worked on it"],
    ["a refusal without a reason", failed("GDS X-17"), "the response does not say whether it was made"],
    ["no booking", [200, { status: "SUCCESS" }], "the response names no booking. Do not book again"],
    ["a booking that is called failed", failed("no", "400", named(pnr)), "the response names a booking (`pnr`"],
  ])("says what is known: %s", async (_case, came, words) => {
    expect((await errorFor(came))?.message).toContain(words);
  });

  const denying = (result: object): Came => [
    200,
    named({ ...pnr, ...result }, { status: "SUCCESS", status_code: "200", message: "Booking successful" }),
  ];

  it.each<[string, object, string, string | undefined]>([
    ["a remark", { airline_remark: "Subject to airline confirmation" }, "Subject to airline confirmation", undefined],
    ["a status of airlines", { booking_status: "HX" }, "booking_status: HX", "no sentence"],
    ["a name", { booking_holder: "VOID/TEST" }, "booking_holder: VOID/TEST", "no sentence"],
    ["too few", { passengers_booked: 1, passengers_requested: 2 }, "passengers_booked: 1", "no sentence"],
    ["a note of one word", { note: "Unpaid" }, "note: Unpaid", "no sentence"],
    ["a status of two words", { booking_status: "On request" }, "booking_status: On request", "no sentence"],
  ])("says what speaks against a success with a PNR: %s", async (_case, result, unrecognized, isNone) => {
    const error = await errorFor(denying(result));
    const [[name, value] = []] = Object.entries(result);
    expect(error?.message).toContain(
      `and the response names a booking (\`pnr\`, \`bookingId\`) but "${name}: ${value}" speaks against it. Do not`,
    );
    expect(error?.message).not.toContain("success");
    expect(error).toMatchObject({ unrecognized });
    expect(JSON.stringify(error)).not.toContain(JSON.stringify(unrecognized));
    const advice = `If the operator confirms that "${unrecognized}" does not take it back, add that sentence to \`knownMessages.booked\`.`;
    if (isNone) expect(error?.message).toMatch(/ or with "notBooked" if the operator says that there is no booking\.$/);
    else expect(error?.message).toContain(advice);
  });

  it("names a sentence whose addition to `knownMessages.booked` counts, and then the next one", async () => {
    const came = denying({ airline_remark: "Airline yet to confirm", note: "Agent yet to confirm" });
    const booked: string[] = [];
    for (const sentence of ["Airline yet to confirm", "Agent yet to confirm"]) {
      expect(await errorFor(came, { knownMessages: { booked } })).toMatchObject({ unrecognized: sentence });
      booked.push(sentence);
    }
    expect(await toldOf(came, { knownMessages: { booked } })).toBe("booked");
  });

  it("names no sentence of a response that names no booking, and no clause of a refusal that names one", async () => {
    const unnamed: Came = [200, { status: "SUCCESS", airline_remark: "Airline yet to confirm" }];
    expect((await errorFor(unnamed))?.message).not.toContain("knownMessages");
    const refusal = failed("Booking failed: GDS X-17", "400", named(pnr));
    expect((await errorFor(refusal))?.message).not.toContain("knownMessages.refused");
  });

  it("says by what to look it up, and that the response is of another request", async () => {
    const other: Came = [200, named(pnr, { status: "SUCCESS", client_referenceId: "order-18" })];
    const { message } = (await errorFor(other)) ?? {};
    expect(message).toContain("the response belongs to another request: if it names a booking, that may be somebody");
    expect(message).toContain(
      "Look it up by client_referenceId order-17 or trace_id T, or ask the service operator to.",
    );
  });

  it("has the clause of a refusal that is not known", async () => {
    expect(await errorFor(failed("Booking failed: GDS X-17"))).toMatchObject({ unrecognized: expect.any(String) });
  });

  it.each<[string, () => unknown, string]>([
    [
      "read the body",
      async () => {
        const response = Response.json({ status: "SUCCESS" });
        await response.text();
        return response;
      },
      "this application failed, and not the service: its own `fetch` returned a `Response` whose body was read before. Do",
    ],
    ["returned nothing", () => null, "its own `fetch` must return a response; it returned null. Do not book again"],
  ])("says that the application's own fetch %s", async (_what, own, words) => {
    const client = { baseUrl: "https://service.example", clientId: "id", clientSecret: "secret" };
    const api = new ServiceApi({ ...client, fetch: own as typeof fetch });
    const error: unknown = await api.flights.book(params, { validation: { request: "off" } }).catch((reason) => reason);
    expect(error).toMatchObject({ name: "BookingOutcomeUnknownError", message: expect.stringContaining(words) });
  });

  it("has the status of the response", async () => {
    expect(await errorFor([500, {}])).toMatchObject({ httpStatus: 500, clientReferenceId: "order-17", traceId: "T" });
  });

  it("names the reference that was sent, whatever put it into the body", async () => {
    const sent = { body: { client_referenceId: "order-18", trace_id: "U", token: { toString: 1 } }, sentAt: 0 };
    const { error } = await book([500, {}]);
    expect(bookingOutcomeUnknown(error as ServiceApiError, sent as unknown as SentCall)).toMatchObject({
      clientReferenceId: "order-18",
      traceId: "U",
      token: "",
    });
    const spaced = { body: { client_referenceId: " order 17 ", trace_id: 7, token: true }, sentAt: 0 };
    expect(bookingOutcomeUnknown(error as ServiceApiError, spaced as unknown as SentCall)).toMatchObject({
      clientReferenceId: " order 17 ",
      traceId: "7",
      token: "true",
    });
    const unnamed = { body: { client_referenceId: null }, sentAt: 0 } as unknown as SentCall;
    expect(bookingOutcomeUnknown(error as ServiceApiError, unnamed)).toMatchObject({
      clientReferenceId: "order-17",
      traceId: "",
      message: expect.stringContaining("Look it up by client_referenceId order-17, or ask the service operator to."),
    });
    Object.assign(error ?? {}, { clientReferenceId: undefined });
    expect(bookingOutcomeUnknown(error as ServiceApiError, unnamed).message).toContain(
      "Do not book again. Ask the service operator to look it up. If",
    );
  });
});

describe("`classifyError` names kinds; it cannot make a booking that may exist one that was refused", () => {
  const as = (
    kind: "invalid" | "session_expired" | "offer_unavailable" | "duplicate" | "in_progress" | "unavailable",
  ) => ({
    classifyError: () => kind,
  });

  it.each<[string, Came]>([
    ["a pending booking", [200, { status: "PENDING" }]],
    ["one under process", failed("Booking under process")],
    ["one that exists already", failed("Already booked")],
    ["HTTP 500", [500, {}]],
    ["HTTP 408", [408, {}]],
    ["HTTP 303", [303, { status: "FAILED" }, to]],
    ["one that is named", failed("no", "400", named(pnr))],
  ])("%s", async (_case, came) => {
    for (const kind of ["invalid", "session_expired", "offer_unavailable"] as const) {
      expect(await toldOf(came, as(kind))).toBe(unknown);
    }
  });

  it("but it can open one that looked like a refusal, and `knownMessages` proves one of the deployment", async () => {
    expect(await toldOf(failed("Sitzung beendet", "461"), as("session_expired"))).toBe(unknown);
    const knownMessages = { refused: ["Sitzung beendet"] };
    expect(await toldOf(failed("SITZUNG BEENDET!", "461"), { ...as("session_expired"), knownMessages })).toBe(
      rejected(SessionExpiredError),
    );
    expect(await toldOf(failed("Sitzung beendet. PNR ABC123", "461"), { knownMessages })).toBe(unknown);
    expect(await toldOf(failed("Passenger name is invalid"), as("duplicate"))).toBe(duplicate);
    expect(await toldOf(failed("Angenommen", "202"), as("session_expired"))).toBe(unknown);
    expect(await toldOf(failed("Passagier ungültig", "461"), as("invalid"))).toBe(unknown);
    expect(await toldOf(failed("GDS X-17", "400"), as("offer_unavailable"))).toBe(unknown);
    expect(await toldOf(failed("Session expired"), as("in_progress"))).toBe(unknown);
    expect(await toldOf(failed("Session expired"), as("unavailable"))).toBe(unknown);
  });

  it("and sees the response before anything in it is redacted", async () => {
    const seen: unknown[] = [];
    const message = "Passenger name a-long-secret is invalid";
    const { error } = await book(failed(message), {
      classifyError: (response) => void seen.push(response.serviceMessage),
    });
    expect(seen).toEqual([message]);
    expect(error?.message).toContain("name [redacted] is invalid");
  });
});

describe("a header of the caller changes nothing", () => {
  it.each([
    [{ "x-ui-state": "progress" }, "Booking is in progress.", unknown],
    [{ "x-auth-type": "token" }, "Invalid token", rejected(SessionExpiredError)],
    [{ "x-product": "flight" }, "This flight is no longer available", rejected(OfferUnavailableError)],
    [{ "x-api-key": "already" }, "Already booked", duplicate],
    [{ authorization: "process" }, "Booking under process", unknown],
  ])("%j and %j", async (headers, message, expected) => {
    expect(await toldOf(failed(message), { headers })).toBe(expected);
    expect(await toldOf(failed(message))).toBe(expected);
  });

  it.each(["b", "s", "in progress"])("nor does a secret of %j", async (clientSecret) => {
    const secret = clientSecret.replaceAll(" ", "-");
    expect(await toldOf(failed("Booking is in progress."), { clientSecret: secret })).toBe(unknown);
    expect(await toldOf(failed("Your session expired"), { clientSecret: secret })).toBe(rejected(SessionExpiredError));
  });
});
