import { describe, expect, it } from "vitest";
import { quoteSamples } from "../../../src/emulator/catalogue/quotes.ts";
import { createEmulator, type Emulator, type SearchName } from "../../../src/emulator/emulator.ts";
import { fareQuote, fareRule } from "../../../src/flights/operations.ts";
import { bodyOf, now, post, sample } from "../helpers.ts";

const names = Object.keys(quoteSamples).filter((name): name is SearchName => name in quoteSamples);
const reference = { client_referenceId: "fq-1" };

/** The body of a fare quote or a fare rule for a search. */
const ask = (
  emulator: Emulator,
  operation: "fare_quote" | "fare_rule",
  search: object = emulator.seedSearch(),
  headers: Record<string, string> = {},
) => bodyOf(emulator, `flight/${operation}`, { ...search, ...reference }, headers);

describe("the emulator's flight search", () => {
  it("seeds what fareQuote and fareRule take, and nothing else", () => {
    const search = createEmulator().seedSearch();
    expect(Object.keys(search)).toEqual(["trace_id", "token"]);
    expect(search.token).toMatch(/^OB1\[DEMO\][A-Za-z0-9+/]{96}==$/);
  });

  it("issues the same tokens in the same order on every run, and never one twice", () => {
    const seed = () => {
      const emulator = createEmulator();
      return [1, 2, 3].map(() => emulator.seedSearch());
    };
    expect(seed()).toEqual(seed());
    expect(new Set(seed().map(({ token }) => token)).size).toBe(3);
  });
});

describe("the emulator's fare quote (§4.4)", () => {
  it.each(names)("responds to the search %s with its sample and new tokens", async (name) => {
    const emulator = createEmulator({ now });
    const search = emulator.seedSearch(name);
    const response = await post(emulator, "flight/fare_quote", { ...search, ...reference });
    const body = await response.json();
    const expected = sample(`flight/fare_quote/success-${name}`);
    expect(response.status).toBe(200);
    expect(body.data.trace_id).toBe(search.trace_id);
    const neutral = (result: { token: string }[]) => result.map((quoted) => ({ ...quoted, token: "" }));
    expect(neutral(body.data.result)).toEqual(neutral(expected.data.result));
    expect(await fareQuote.body["~standard"].validate(body)).not.toHaveProperty("issues");
  });

  it("moves every date by whole days as the clock goes on, so that flights stay ahead", async () => {
    const emulator = createEmulator({ now: "2027-11-20T06:00:00Z" });
    const body = await ask(emulator, "fare_quote");
    const [{ segments, last_ticket_date }] = body.data.result;
    expect(segments[0].origin.departure_time).toBe("2028-02-10 06:15:00");
    expect(last_ticket_date).toBe("2027-11-23 23:59:00");
    const [quoted] = (await ask(emulator, "fare_quote", emulator.seedSearch("domestic-oneway-lcc"))).data.result;
    expect(quoted.last_ticket_date).toBe("0001-01-01 00:00:00");
  });

  it("expires 15 minutes after the search, on the emulator's clock", async () => {
    const emulator = createEmulator({ now });
    const search = emulator.seedSearch();
    await emulator.clock.advance(899_999);
    expect((await ask(emulator, "fare_quote", search)).status).toBe("SUCCESS");
    await emulator.clock.advance(1);
    expect(await ask(emulator, "fare_quote", search)).toEqual(sample("flight/fare_quote/failed-expired-token"));
    expect(await ask(emulator, "fare_rule", search)).toEqual(sample("flight/fare_rule/failed-expired"));
  });

  it("refuses the token of another search", async () => {
    const emulator = createEmulator();
    const mixed = { trace_id: emulator.seedSearch().trace_id, token: emulator.seedSearch().token };
    for (const operation of ["fare_quote", "fare_rule"] as const) {
      expect(await ask(emulator, operation, mixed)).toEqual(sample(`flight/${operation}/failed-trace-mismatch`));
    }
  });

  it("refuses a token that was never issued, and a quote token where a search token belongs", async () => {
    const emulator = createEmulator();
    const search = emulator.seedSearch();
    const quote = await ask(emulator, "fare_quote", search);
    for (const token of ["never issued", quote.data.result[0].token]) {
      const refused = await ask(emulator, "fare_quote", { ...search, token });
      expect(refused).toEqual(sample("flight/fare_quote/failed-invalid-token"));
    }
  });

  it("takes any trace and token for the default search with `strict` is off", async () => {
    const emulator = createEmulator({ strict: false });
    const body = await ask(emulator, "fare_quote", { trace_id: "mine", token: "anything" });
    expect(body.data.trace_id).toBe("mine");
    expect(body.data.result[0].fare.total_fare).toBe(7480);
  });

  it("says which fields are missing", async () => {
    const response = await post(createEmulator(), "flight/fare_quote", { trace_id: "t" });
    expect(response.status).toBe(422);
    const body = await response.json();
    expect(body).toMatchObject({ status: "FAILED", status_code: "400", data: null });
    expect(body.errors.token).toEqual(["The token field is missing."]);
  });

  it("requires the reference that the client fills in, and takes fields that the document does not name", async () => {
    const emulator = createEmulator();
    const search = emulator.seedSearch();
    const without = await post(emulator, "flight/fare_quote", search);
    expect((await without.json()).errors).toHaveProperty("client_referenceId");
    const more = await post(emulator, "flight/fare_quote", { ...search, ...reference, user: {}, flag: true });
    expect(more.status).toBe(200);
  });
});

describe("the emulator's fare rules (§4.5)", () => {
  it.each(names)("responds to the search %s for each of its directions", async (name) => {
    const emulator = createEmulator({ now });
    const search = emulator.seedSearch(name);
    const body = await ask(emulator, "fare_rule", search);
    expect(await fareRule.body["~standard"].validate(body)).not.toHaveProperty("issues");
    const directions = quoteSamples[name].flatMap(({ fare_rules }) => fare_rules);
    const points = (rules: { origin: string; destination: string }[]) =>
      rules.map(({ origin, destination }) => `${origin}-${destination}`);
    expect(points(body.data.result)).toEqual(points(directions));
    expect(body.data.trace_id).toBe(search.trace_id);
  });

  it.each([
    ["success-hostile-html", "success-hostile-html"],
    ["success-html-long", "success-html-long"],
    ["unavailable", "failed-unavailable"],
  ])("sends %s by name", async (response, name) => {
    const emulator = createEmulator({ now });
    const body = await ask(emulator, "fare_rule", undefined, { "X-Emulator-Response": response });
    const expected = sample(`flight/fare_rule/${name}`);
    expect(body.message).toBe(expected.message);
    expect(body.data?.result[0].fare_rules).toBe(expected.data?.result[0].fare_rules);
  });
});
