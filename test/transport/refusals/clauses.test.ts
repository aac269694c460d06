/** Reading the message of a refusal: clause by clause, each of which has to be accounted for. */
import { beforeEach, describe, expect, it, vi } from "vitest";
import { ServiceApiError } from "../../../src/errors/index.ts";
import type { QuoteToken } from "../../../src/flights/types/index.ts";
import { type ClientOptions, defineOperation, ServiceApi } from "../../../src/index.ts";
import { samplePassengers } from "../../flights/offers.ts";

const params = { trace_id: "T", token: "S" as QuoteToken, passengers: samplePassengers("oneway-adult") };

/** Returns the kind of error for a refused booking with this body if nothing was booked; else the part that is not known. */
async function readingOf(body: object, more: object = {}, options: ClientOptions = {}, status = 400): Promise<unknown> {
  const api = new ServiceApi({
    ...options,
    ...{ baseUrl: "https://service.example", clientId: "id", clientSecret: "secret" },
    fetch: async () => Response.json({ status: "FAILED", ...body }, { status }),
  });
  const error = await api.flights.book({ ...params, ...more }).catch((error: unknown) => error);
  if (!ServiceApiError.isInstance(error)) throw error;
  const [, unknown = "?"] = / "([^"]+)" is not known as part of a refusal/.exec(error.message) ?? [];
  return error.outcome === "rejected" ? error.kind : `${error.outcome}: ${unknown}`;
}

it("a sentence of the deployment refuses, and says nothing of the kind", async () => {
  const options = { knownMessages: { refused: ["Hold # is not taken up"] } };
  const known = (message: string) => readingOf({ message }, {}, options, 200);
  expect(await known("Hold 17 is not taken up.")).toBe("unknown");
  expect(await known("Booking failed: hold 17 is not taken up")).toBe("unknown");
  expect(await known("Hold 17 is not taken up: invalid token")).toBe("session_expired");
});

it("a sentence of the deployment may have clauses", async () => {
  const options = { knownMessages: { refused: ["Denied: hold #, not taken up"] } };
  expect(await readingOf({ message: "Denied: hold 17, not taken up" }, {}, options, 200)).toBe("unknown");
});

it("the longer of two fields is read", async () => {
  const issue = defineOperation({ name: "issue", path: "issue", retry: "never" });
  const api = new ServiceApi({
    ...{ baseUrl: "https://service.example", clientId: "id", clientSecret: "secret" },
    fetch: async () => Response.json({ status: "FAILED", message: "zone code is required" }, { status: 400 }),
  });
  const call = api.send(issue, { zone: "A", zone_code: "7" });
  await expect(call).rejects.toMatchObject({ outcome: "rejected", kind: "invalid" });
});

it.each(["seat", "meal"])("a message about seats is about the whole, unless a %s was chosen", async (part) => {
  const message = "Seats are not available on the selected flight";
  expect(await readingOf({ message })).toBe("offer_unavailable");
  const people = samplePassengers("oneway-adult").map((one) => ({
    ...one,
    [part]: [{ code: "12A", origin: "DEL", destination: "BOM" }],
  }));
  const known = part === "meal" ? "offer_unavailable" : "unknown: seats are not available on the selected flight";
  expect(await readingOf({ message }, { passengers: people })).toBe(known);
});

describe("the first refusal of a process", () => {
  beforeEach(() => {
    vi.resetModules();
  });

  it.each([
    ["Passenger 2: dob is required", "invalid"],
    ["Fare has changed from INR 5,000 to INR 5,500.50", "offer_unavailable"],
    ["Your IP address 203.0.113.7 is not whitelisted", "permission"],
    ["dob must be in format YYYY-MM-DD", "invalid"],
    ["Invalid token. Apache/2.4.41 Server at api.example.com Port 443", "session_expired"],
    ["Cannot POST /flight/book", "invalid"],
    ["Invalid token. HTTP 404", "session_expired"],
    ["Access denied. Reference #18.2d351ab8.1557", "permission"],
    ["You do not have enough balance to make this booking", "insufficient_balance"],
    ["Flight closed for sale", "offer_unavailable"],
    ["Rate limit exceeded", "rate_limited"],
    ["dob, gender: is required", "invalid"],
    ["Passenger 1: is required", "unknown: passenger 1"],
    ["Sorry sorry booking failed", "unknown: sorry sorry booking failed"],
    ["Infant: fare not available", "unknown: infant"],
    ["Invalid token - seat is held", "unknown: seat is held"],
    ["token S@x is invalid", "unknown: token s@x is invalid"],
  ])("reads the lines of the grammar: %s", async (message, reading) => {
    expect(await readingOf({ message })).toBe(reading);
  });
});

describe("a message", () => {
  it.each([
    ["Passenger 1: dob is required, Passenger 2: gender is required", "invalid"],
    ["dob: is required, gender: must be M or F", "invalid"],
    ["passengers[0].dob: is required", "invalid"],
    ["passengers[10] is required", "invalid"],
    ["The ‘dob’ field is required", "invalid"],
    ["Fare not available", "offer_unavailable"],
    ["Invalid token. Invalid token", "session_expired"],
    ["Invalid token; booking failed", "session_expired"],
    ["Booking failed; invalid token", "session_expired"],
    ["“Invalid token”", "session_expired"],
    ["'Invalid token'", "session_expired"],
    ["Invalid token…", "session_expired"],
    ["Invalid token (HTTP 401)", "session_expired"],
    ["Cannot POST [/flight/book]", "invalid"],
    ["Cannot POST v1/flight/book", "invalid"],
    ["Cannot POST http://service.example/flight/book", "invalid"],
    ["Passenger count doesn’t match search", "invalid"],
    ["Invalid token. nginx/1.18.0", "session_expired"],
    ["Your ip is not permitted", "permission"],
  ])("is a refusal if all of its clauses are known: %s", async (message, kind) => {
    expect(await readingOf({ message })).toBe(kind);
  });

  it.each([
    ["Is required", "is required"],
    ["A flight is not available", "a flight is not available"],
    ["Any flight is not available", "any flight is not available"],
    ["The following flights are no longer available", "the following flights are no longer available"],
    ["A selected fare is sold out", "a selected fare is sold out"],
    ["HTTP 408. Invalid token", "http 408"],
    ["Invalid token. Error code 50312", "error code 50312"],
    ["Invalid token. Failed count 1", "failed count 1"],
    ["Invalid token. Rejected 1", "rejected 1"],
    ["Invalid token - BK482133", "bk482133"],
    ["Invalid token. Reference #48213365", "reference #48213365"],
    ["Passenger 2", "passenger 2"],
    ["Passenger 2: gender", "passenger 2"],
    ["Passenger 1: Passenger 2: dob is required", "passenger 1"],
    ["dob: is required, seat: is required", "seat"],
    ["Invalid token! Seat 12A is held", "seat 12a is held"],
    ["Cannot POST /flight/quote", "cannot post /flight/quote"],
    ["Cannot POST ?to=/flight/book", "cannot post ?to=/flight/book"],
    ["Cannot POST /a?b/flight/book", "cannot post /a?b/flight/book"],
    ["Invalid tоken", "Invalid tоken"],
    ["fname is required; booking is confirmed", "booking is confirmed"],
  ])("proves nothing if one of its clauses is not known: %s", async (message, clause) => {
    expect(await readingOf({ message })).toBe(`unknown: ${clause}`);
  });

  it("is read up to 16,000 characters, and a clause up to 240", async () => {
    const times = (count: number) => Array.from({ length: count }, () => "Invalid token").join(". ");
    expect(await readingOf({ message: times(1_000) })).toBe("session_expired");
    expect(await readingOf({ message: times(1_100) })).toMatch(/^unknown/);
    expect(await readingOf({ message: `Invalid ${"or invalid ".repeat(30)} token` })).toMatch(/^unknown/);
    const valid = (words: number) => `dob must be ${"alphanumeric ".repeat(words)}`;
    expect(await readingOf({ message: `${valid(17)}formatted` })).toBe("invalid");
    expect(await readingOf({ message: valid(18) })).toMatch(/^unknown/);
  });

  it("and its status have up to 300 clauses that differ", async () => {
    const codes = (count: number) => Array.from({ length: count }, (_, n) => `Error code ${400_000 + n}`).join(". ");
    expect(await readingOf({ message: `Invalid token. ${codes(297)}. ${codes(297)}` })).toBe("session_expired");
    expect(await readingOf({ message: `Invalid token. ${codes(298)}` })).toBe("session_expired");
    expect(await readingOf({ message: `Invalid token. ${codes(299)}` })).toBe(
      "unknown: more clauses than a refusal has",
    );
  });
});

describe("the errors of fields", () => {
  it.each<[string, unknown, string]>([
    ["a name", "dob", "invalid"],
    ["a path", "passengers[0].dob", "invalid"],
    ["a name with another mark before it", "!dob", "unknown: is required"],
    ["a name with another mark behind it", "dob!", "unknown: is required"],
    ["a path through another name", "hold.dob", "unknown: hold.dob"],
    ["a name of two words", "first name", "unknown: is required"],
    ["a path of 240 characters", `${"dob.".repeat(57)}email.gender`, "invalid"],
    ["a longer path", `${"dob.".repeat(60)}dob`, `unknown: ${"dob.".repeat(20)}`],
    ["a list", ["body", "passengers", 0, "dob"], "invalid"],
    ["a list with an index alone", ["body", 0, "dob"], "invalid"],
    ["a list for the query", ["query", "dob"], "invalid"],
    ["a number alone", 0, "unknown: loc"],
    ["another number alone", 2, "unknown: loc"],
    ["a list of numbers", [0, 2], "unknown: loc with an empty element"],
    ["an empty list", [], "unknown: is required"],
    ["a list of lists", [["body", "dob"]], "unknown: is required"],
    ["a list with another name", ["body", "hold"], "unknown: is required"],
    ["a list with a part of an order", ["body", "passengers", 0, "seat"], "unknown: loc with an empty element"],
    ["another part of the request", ["bodyguard", "dob"], "unknown: is required"],
    ["a flag", true, "unknown: loc"],
  ])("may name the field by %s", async (_case, loc, expected) => {
    expect(await readingOf({ message: "Validation failed", errors: [{ loc, msg: "is required" }] })).toBe(expected);
  });

  it.each([
    ["dob", "is required", "invalid"],
    ["passengers.0.dob", "is required", "invalid"],
    ["passengers[0].dob", "must be a valid date", "invalid"],
    ["seat", "is required", "unknown: seat"],
    ["dob", "fare not available", "unknown: fare not available"],
    ["dob", "seat: is required", "unknown: seat"],
  ])("count by their name and their text: %s, %s", async (name, text, expected) => {
    expect(await readingOf({ message: "Validation failed", errors: { [name]: [text] } })).toBe(expected);
  });
});
