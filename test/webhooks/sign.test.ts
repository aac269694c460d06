import { describe, expect, it } from "vitest";
import {
  ConfigurationError,
  custom,
  freshness,
  hmac,
  sign,
  standardWebhooks,
  Webhooks,
} from "../../src/webhooks/index.ts";

const check = hmac({ header: "x-signature", secrets: ["k"] });
const loop: Record<string, unknown> = {};
loop.self = loop;
const event = { status: "DUPLICATE", client_referenceId: "po-1" };

describe("sign()", () => {
  it("sends no header that the scheme lacks", async () => {
    const { headers } = await sign("{}", check);
    expect(Object.keys(headers).sort()).toEqual(["content-type", "x-signature"]);
  });

  it.each<[string, readonly unknown[]]>([
    ["an event that is none", [undefined, check]],
    ["an event of null", [null, check]],
    ["a number", [7, check]],
    ["no scheme", [event, undefined]],
    ["an empty list", [event, []]],
    ["a list with a hole", [event, Array(1)]],
    ["a list with undefined", [event, [check, undefined]]],
    ["another word than none", [event, "None"]],
    ["a misspelt option", [event, check, { nwo: 1 }]],
    ["`now: NaN`", [event, check, { now: Number.NaN }]],
    ["an id that is no string", [event, check, { id: 7 }]],
    ["an event with a loop", [loop, check]],
    ["an event with a bigint", [{ txn_amount: 1n }, check]],
    ["an event that is not written", [{ toJSON: () => undefined }, check]],
  ])("refuses %s", async (_, given) => {
    await expect(Reflect.apply(sign, undefined, given)).rejects.toThrow(ConfigurationError);
  });

  it("signs and returns JSON as it was written", async () => {
    const text = '{ "status": "DUPLICATE", "client_referenceId": "po-1" }';
    const delivery = await sign(text, check);
    expect(delivery.body).toBe(text);
    expect(await new Webhooks({ auth: [check] }).verify(delivery)).toEqual(event);
  });

  it("signs for one check, for several and without any", async () => {
    for (const scheme of [check, [check]]) {
      expect((await sign(event, scheme)).headers).toHaveProperty("x-signature");
    }
    expect((await sign(event, "none")).headers).toEqual({ "content-type": "application/json" });
  });
});

describe("a check and the options of sign()", () => {
  const failing = (sign: () => Promise<never>) => ({ name: "own", check: () => undefined, sign });

  it("a check that fails to sign is a ConfigurationError, without what a stranger's error says", async () => {
    const failed = sign(event, [check, failing(async () => Promise.reject(new Error("k of the vault")))]);
    await expect(failed).rejects.toThrow(ConfigurationError);
    await expect(failed).rejects.toThrow("sign: a check could not sign: its `sign` threw.");
    await expect(failed).rejects.not.toHaveProperty("cause");
    const vault = hmac({ header: "x", secrets: () => Promise.reject(new Error("k of the vault")) });
    await expect(sign(event, vault)).rejects.toThrow(
      "sign: a check could not sign: hmac: a function in `secrets` threw. Log its error in the function: it may quote the secret, and is not shown.",
    );
    await expect(sign(event, vault)).rejects.toThrow(ConfigurationError);
  });

  it.each([
    ["now", { now: 1 }],
    ["id", { id: "a" }],
  ])("`%s` without a check that signs is refused, because it would do nothing", async (name, options) => {
    const message = `sign: \`${name}\` has no effect, because no check of the scheme signs.`;
    await expect(sign(event, "none", options)).rejects.toThrow(message);
    await expect(
      sign(
        event,
        custom(() => true),
        options,
      ),
    ).rejects.toThrow(message);
    expect((await sign(event, [custom(() => true), check], options)).headers).toHaveProperty("x-signature");
    expect((await sign(event, "none", { now: undefined })).body).toBe(JSON.stringify(event));
  });
});

describe("webhooks.sign()", () => {
  const at = Date.UTC(2020, 1, 29);
  const stamped = hmac({ header: "x-signature", secrets: ["k"], signed: "timestamp.body", timestampHeader: "x-time" });
  const setUp = (now: () => number, auth = [stamped]) => new Webhooks({ auth, now });

  it.each([
    ["hmac", [stamped]],
    ["standardWebhooks", [standardWebhooks({ secrets: [`whsec_${btoa("a secret of 24 characters")}`] })]],
    ["freshness", [check, freshness({ timestampHeader: "x-time" })]],
  ])("signs by the clock of its receiver, which then accepts it: %s", async (_, auth) => {
    const webhooks = setUp(() => at, auth);
    const delivery = await webhooks.sign(event);
    expect(await webhooks.verify(delivery)).toEqual(event);
    await expect(setUp(Date.now, auth).verify(delivery)).rejects.toMatchObject({ reason: "timestampOutOfRange" });
  });

  it("signs for another time if it is passed", async () => {
    const { headers } = await setUp(() => at).sign(event, stamped, { now: 7_000 });
    expect(headers["x-time"]).toBe("7");
  });

  it("refuses a clock that returns no time, and invalid options", async () => {
    await expect(setUp(() => Number.NaN).sign(event)).rejects.toThrow("Webhooks: `now` must return a finite number");
    const given = [event, stamped, { nwo: 1 }];
    await expect(Reflect.apply(Webhooks.prototype.sign, setUp(Date.now), given)).rejects.toThrow(
      "webhooks.sign: unknown",
    );
  });
});
