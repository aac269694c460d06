import { describe, expect, it } from "vitest";
import { createEmulator } from "../../src/emulator/emulator.ts";
import { type ClientOptions, ServiceApi } from "../../src/index.ts";
import { parseJson } from "../../src/shared/json.ts";
import { Webhooks } from "../../src/webhooks/index.ts";
import { made } from "../support/operations.ts";

const large = "9007199254740993";
const clientWith = (text: string) => {
  const fetch: ClientOptions["fetch"] = async () => new Response(text);
  return new ServiceApi({ baseUrl: "https://api.example.com", clientId: "a", clientSecret: "b", fetch });
};

describe("an integer beyond 2^53 is a string of its digits", () => {
  it("in the response of every operation, one of your own too", async () => {
    const params = { vpa_mobile: "6000000001", consent: "Y" } as const;
    const vpas = `{"status":"success","statusCode":"101","partner_id":${large},"vpa":"a@b"}`;
    expect(await clientWith(vpas).verification.findVpas(params)).toMatchObject({ partner_id: large });
    const booked = `{"status":"SUCCESS","data":{"result":{"pnr":"ABC123","booking_id":${large}}}}`;
    const { data } = await clientWith(booked).flights.book({} as never, { validation: { request: "off" } });
    expect(data.result.booking_id).toBe(large);
    const own = await clientWith(`{"status":"SUCCESS","ids":[-${large}, 1${large}]}`).send(made(), {});
    expect(own.ids).toEqual([`-${large}`, `1${large}`]);
  });

  it("in the body of an error", async () => {
    const body = `{"status":"FAILED","status_code":"400","order":${large}}`;
    await expect(clientWith(body).send(made(), {})).rejects.toMatchObject({ body: { order: large } });
  });

  it("in an event of a stream", async () => {
    const emulator = createEmulator();
    const fetch: typeof emulator.fetch = async (...request) => {
      const text = await (await emulator.fetch(...request)).text();
      return new Response(text.replaceAll('"event":"response_output"', `"part":${large},$&`), {
        headers: { "content-type": "text/event-stream" },
      });
    };
    const api = new ServiceApi({ baseUrl: "https://emulator.example", clientId: "a", clientSecret: "b", fetch });
    const parts: unknown[] = [];
    for await (const event of api.ai.stream({ user: { text: "Hello" } })) {
      if (event.event === "response_output") parts.push("part" in event && event.part);
    }
    expect(new Set(parts)).toEqual(new Set([large]));
  });

  it("in a notification of a payout", async () => {
    const webhooks = new Webhooks({ auth: "none" });
    const body = `{"status":"SUCCESS","client_referenceId":"order-17","transactionId":${large},"txn_amount":1,"utr":1${large}}`;
    expect(await webhooks.verify({ headers: {}, body })).toMatchObject({ transactionId: large, utr: `1${large}` });
  });

  it.each([
    ["one that a number holds", '{"id":9007199254740991}'],
    ["a string", `{"id":"${large}"}`],
    ["a fraction", `{"id":${large}.5}`],
    ["the digits of a fraction", '{"id":0.19007199254740993,"b":1.9007199254740993}'],
    ["an exponent", `{"id":${large}e1,"b":1e-${large},"c":1e${large},"d":1E+${large}}`],
    ["a string that quotes JSON", `{"message":"\\"id\\":${large},"}`],
    ["a string that quotes a quotation", `{"message":"\\\\\\"id\\":${large}}"}`],
    ["a string that looks like the middle of an object", `{"a":": ${large}, ","b":"\\\\","c":": ${large}, "}`],
    ["the name of a field", `{"${large}":1}`],
  ])("and anything else is what JSON.parse makes of it: %s", (_case, text) => {
    expect(parseJson(text)).toEqual(JSON.parse(text));
  });

  it.each([1, 1_000, 200_000])("it is not rounded within %i lists: at worst, they are not read", (depth) => {
    let value = parseJson(`${"[".repeat(depth)}${large}${"]".repeat(depth)}`);
    while (Array.isArray(value)) [value] = value;
    expect(depth > 1_000 ? [large, undefined] : [large]).toContain(value);
  });

  it("one of millions of digits stays a number, and what is not JSON stays that", () => {
    expect(parseJson(`{"pnr":"ABC123","booking_id":1${"0".repeat(12_000_000)}}`)).toMatchObject({ pnr: "ABC123" });
    expect(parseJson(`{"booking_id":00${large}}`)).toBeUndefined();
    expect(parseJson(`${large}"`)).toBeUndefined();
  });
});
