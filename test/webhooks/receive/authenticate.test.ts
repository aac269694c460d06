import { describe, expect, it } from "vitest";
import { ipAllowList } from "../../../src/webhooks/auth/ip-allow-list.ts";
import {
  basic,
  custom,
  freshness,
  hmac,
  memoryStore,
  standardWebhooks,
  WebhookAuthError,
  type WebhookCheck,
  type WebhookError,
  Webhooks,
} from "../../../src/webhooks/index.ts";
import { refusalOf } from "../../support/refusal.ts";
import { eventOf, reasonOf } from "../support.ts";

const body = JSON.stringify(eventOf("SUCCESS"));
const tooOld = new WebhookAuthError({ reason: "timestampOutOfRange", message: "ten minutes old" });
const passing = (): WebhookCheck => ({ name: "own", check: () => undefined });

it.each([
  ["hmac", hmac({ header: "x", secrets: ["s"] })],
  ["standardWebhooks", standardWebhooks({ secrets: ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"] })],
  ["basic", basic({ credentials: [{ username: "payouts", password: "old one" }] })],
  ["freshness", freshness({ timestampHeader: "x-sent-at" })],
  ["ipAllowList", ipAllowList(["203.0.113.0/24"])],
])("%s has a name, for messages", (name, check) => {
  expect(check.name).toBe(name);
});

/** Returns the error of a delivery for which a check returns this, at once or later. */
const errorAfter = async (outcome: unknown, isLater: boolean) => {
  const check = (): never => (isLater ? Promise.resolve(outcome) : outcome) as never;
  const webhooks = new Webhooks({ auth: [{ name: "own", check }], store: memoryStore() });
  return webhooks.verify({ headers: {}, body }).then(
    () => undefined,
    (error: WebhookError) => error,
  );
};

describe("what a check returns, or a promise of it", () => {
  it("that is undefined accepts, any number of times", async () => {
    const webhooks = new Webhooks({ auth: [passing()] });
    for (const _ of [1, 2]) expect(await reasonOf(webhooks.verify({ headers: {}, body }))).toBe("accepted");
  });

  it.each([
    [false, "neither undefined nor"],
    [true, "neither undefined nor"],
    [null, "an object that is not only"],
    [0, "neither undefined nor"],
    ["yes", "neither undefined nor"],
    [{}, "an object that is not only"],
    [JSON.parse('{"then":true}'), "an object that is not only"],
    [{ nonce: "" }, "an object that is not only"],
    [{ nonce: " " }, "an object that is not only"],
    [{ nonce: "n".repeat(257) }, "an object that is not only"],
    [{ nonce: "a\u0000b" }, "an object that is not only"],
    [{ nonce: 7 }, "an object that is not only"],
    [{ nonce: "n", valid: false }, "an object that is not only"],
    [{ nonce: "n", stale: {} }, "an object that is not only"],
    [{ stale: {}, error: "bad signature" }, "an object that is not only"],
    [{ stale: tooOld, error: "bad signature" }, "an object that is not only"],
    [{ stale: tooOld, nonce: "" }, "an object that is not only"],
    [{ stale: tooOld, nonce: null }, "an object that is not only"],
    [{ stale: null, nonce: "n" }, "an object that is not only"],
    [{ nonce: undefined }, "an object that is not only"],
    [["n"], "an object that is not only"],
    // With an inherited nonce.
    [Object.create({ nonce: "n-1" }), "an object that is not only"],
  ])("that is %j refuses, and says what it should be", async (outcome, words) => {
    for (const isLater of [false, true]) {
      expect(await errorAfter(outcome, isLater)).toMatchObject({
        reason: "refusedByCheck",
        message: `The check "own" returned ${words} { nonce }, a string of 1 to 256 printable characters.`,
      });
    }
  });

  it.each<[unknown, string | undefined]>([
    [undefined, undefined],
    [{ nonce: "n-1" }, undefined],
    [{ nonce: "n".repeat(256) }, undefined],
    [{ nonce: "n", stale: undefined }, undefined],
    [{ stale: tooOld }, "ten minutes old"],
    [{ stale: tooOld, nonce: "n" }, "ten minutes old"],
    [{ stale: tooOld, nonce: undefined }, "ten minutes old"],
  ])("may be %j", async (outcome, message) => {
    for (const isLater of [false, true]) expect((await errorAfter(outcome, isLater))?.message).toBe(message);
  });

  it("names the first reason of several for which a delivery is too old", async () => {
    const auth = ["first", "second"].map((message) =>
      custom(() => ({ stale: new WebhookAuthError({ reason: "timestampOutOfRange", message }) })),
    );
    await expect(new Webhooks({ auth }).verify({ headers: {}, body })).rejects.toThrow(/^first$/);
  });
});

describe("`auth` is checked when it is passed", () => {
  it.each([
    ["[undefined]", [undefined]],
    ["[null]", [null]],
    ["[false]", [false]],
    ['[""]', [""]],
    ["[{}]", [{}]],
    ["a hole", Array(1)],
    ["a check, then undefined", [passing(), undefined]],
    ["a check that is not a function", [{ name: "own", check: true }]],
    ['["none"]', ["none"]],
    ["an empty list", []],
    ["null", null],
    ["false", false],
    ["an empty string", ""],
    ['"None"', "None"],
    ["a check without a list", passing()],
  ])("refuses %s", (_, auth) => {
    const refusal = refusalOf(() => new Webhooks({ auth: auth as never }));
    expect(refusal).toMatch(/`auth` .*set `auth` to a list of checks/);
  });

  it("cannot be changed afterwards", async () => {
    const refusing = custom(() => false);
    const auth = [refusing];
    const webhooks = new Webhooks({ auth });
    auth.length = 0;
    expect(await reasonOf(webhooks.verify({ headers: {}, body }))).toBe("refusedByCheck");
  });

  it("needs a check that proves the sender in addition to freshness()", () => {
    const fresh = freshness({ timestampHeader: "x-t" });
    expect(() => new Webhooks({ auth: [fresh] })).toThrow(/proves who sent/);
    expect(() => new Webhooks({ auth: [fresh, passing()] })).not.toThrow();
  });
});

describe("the result of a check", () => {
  it("is read from every check, even after an asynchronous one", async () => {
    const refusing: WebhookCheck = { name: "late", check: () => false as never };
    for (const auth of [
      [passing(), custom(() => true), refusing],
      [refusing, passing()],
      [custom(async () => true), passing(), refusing],
    ]) {
      expect(await reasonOf(new Webhooks({ auth }).verify({ headers: {}, body }))).toBe("refusedByCheck");
    }
  });

  it("claims a nonce that two checks read only once", async () => {
    const same = () => custom(() => ({ nonce: "n-1" }));
    const webhooks = new Webhooks({ auth: [same(), same()], store: memoryStore() });
    expect(await reasonOf(webhooks.verify({ headers: {}, body }))).toBe("accepted");
    expect(await reasonOf(webhooks.verify({ headers: {}, body }))).toBe("nonceReused");
  });
});
