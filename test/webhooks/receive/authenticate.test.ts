import { describe, expect, it } from "vitest";
import { ipAllowList } from "../../../src/webhooks/auth/ip-allow-list.ts";
import {
  basic,
  ConfigurationError,
  custom,
  freshness,
  hmac,
  memoryStore,
  WebhookAuthError,
  type WebhookCheck,
  type WebhookError,
  Webhooks,
} from "../../../src/webhooks/index.ts";
import { eventOf } from "../support.ts";

const body = JSON.stringify(eventOf("SUCCESS"));
const tooOld = new WebhookAuthError({ reason: "timestampOutOfRange", message: "ten minutes old" });
const passing = (): WebhookCheck => ({ name: "own", check: () => undefined });

it.each([
  ["hmac", hmac({ header: "x", secrets: ["s"] })],
  ["basic", basic({ credentials: [{ username: "payouts", password: "old one" }] })],
  ["freshness", freshness({ timestampHeader: "x-sent-at" })],
  ["ipAllowList", ipAllowList(["203.0.113.0/24"])],
])("%s has a name, for messages", (name, check) => {
  expect(check.name).toBe(name);
});

describe("what a check returns", () => {
  const verify = (
    check: unknown,
    webhooks = new Webhooks({ auth: [{ name: "own", check: () => check } as never], store: memoryStore() }),
  ) =>
    webhooks.verify({ headers: {}, body }).then(
      () => "accepted",
      (error: WebhookError) => error.message,
    );

  it("that is undefined accepts, any number of times", async () => {
    const webhooks = new Webhooks({ auth: [passing()] });
    expect([await verify(undefined, webhooks), await verify(undefined, webhooks)]).toEqual(["accepted", "accepted"]);
  });

  it.each([
    [false, "neither undefined nor"],
    ["yes", "neither undefined nor"],
    [{}, "an object that is not only"],
    [JSON.parse('{"then":true}'), "an object that is not only"],
    [{ nonce: "n".repeat(257) }, "an object that is not only"],
    [{ nonce: "n", valid: false }, "an object that is not only"],
    [{ nonce: "n", stale: {} }, "an object that is not only"],
    [{ stale: {}, error: "bad signature" }, "an object that is not only"],
    [{ stale: tooOld, error: "bad signature" }, "an object that is not only"],
    [{ stale: tooOld, nonce: "" }, "an object that is not only"],
    [{ stale: tooOld, nonce: null }, "an object that is not only"],
    [{ stale: null, nonce: "n" }, "an object that is not only"],
    [{ nonce: undefined }, "an object that is not only"],
    [["n"], "an object that is not only"],
  ])("that is %j refuses, and says what it should be", async (outcome, words) => {
    expect(await verify(outcome)).toBe(
      `The check "own" returned ${words} { nonce }, a string of 1 to 256 printable characters.`,
    );
  });

  it.each<[unknown, string]>([
    [{ nonce: "n".repeat(256) }, "accepted"],
    [{ nonce: "n", stale: undefined }, "accepted"],
    [{ stale: tooOld }, "ten minutes old"],
    [{ stale: tooOld, nonce: "n" }, "ten minutes old"],
    [{ stale: tooOld, nonce: undefined }, "ten minutes old"],
  ])("may be %j", async (outcome, end) => {
    expect(await verify(outcome)).toBe(end);
  });

  it("names the first reason of several for which a delivery is too old", async () => {
    const auth = ["first", "second"].map((message) =>
      custom(() => ({ stale: new WebhookAuthError({ reason: "timestampOutOfRange", message }) })),
    );
    expect(await verify(undefined, new Webhooks({ auth }))).toBe("first");
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
    expect(() => new Webhooks({ auth: auth as never })).toThrow(ConfigurationError);
    expect(() => new Webhooks({ auth: auth as never })).toThrow(/`auth` .*set `auth` to a list of checks/);
  });

  it("cannot be changed afterwards", async () => {
    const refusing = custom(() => false);
    const auth = [refusing];
    const webhooks = new Webhooks({ auth });
    auth.length = 0;
    await expect(webhooks.verify({ headers: {}, body })).rejects.toMatchObject({ reason: "refusedByCheck" });
  });

  it("needs a check that proves the sender in addition to freshness()", () => {
    const fresh = freshness({ timestampHeader: "x-t" });
    expect(() => new Webhooks({ auth: [fresh] })).toThrow(/proves who sent/);
    expect(() => new Webhooks({ auth: [fresh, passing()] })).not.toThrow();
  });
});

describe("the result of a check", () => {
  const reasonOf = (outcome: unknown, asynchronous: boolean) => {
    const check = (): never => (asynchronous ? Promise.resolve(outcome) : outcome) as never;
    return new Webhooks({ auth: [{ name: "own", check }], store: memoryStore() }).verify({ headers: {}, body }).then(
      () => "accepted",
      (error: WebhookError) => error.reason,
    );
  };

  it.each([
    ["undefined", undefined, "accepted"],
    ["a nonce", { nonce: "n-1" }, "accepted"],
    ["false", false, "refusedByCheck"],
    ["true", true, "refusedByCheck"],
    ["null", null, "refusedByCheck"],
    ["0", 0, "refusedByCheck"],
    ["{}", {}, "refusedByCheck"],
    ["an empty nonce", { nonce: "" }, "refusedByCheck"],
    ["a blank nonce", { nonce: " " }, "refusedByCheck"],
    ["a nonce of 257 characters", { nonce: "n".repeat(257) }, "refusedByCheck"],
    ["a nonce with a control character", { nonce: "a\u0000b" }, "refusedByCheck"],
    ["a nonce that is a number", { nonce: 7 }, "refusedByCheck"],
    ["an inherited nonce", Object.create({ nonce: "n-1" }), "refusedByCheck"],
  ])("%s: %s", async (_, outcome, reason) => {
    expect(await reasonOf(outcome, false)).toBe(reason);
    expect(await reasonOf(outcome, true)).toBe(reason);
  });

  it("is read from every check, even after an asynchronous one", async () => {
    const refusing: WebhookCheck = { name: "late", check: () => false as never };
    for (const auth of [
      [passing(), custom(() => true), refusing],
      [refusing, passing()],
      [custom(async () => true), passing(), refusing],
    ]) {
      await expect(new Webhooks({ auth }).verify({ headers: {}, body })).rejects.toMatchObject({
        reason: "refusedByCheck",
      });
    }
  });

  it("claims a nonce that two checks read only once", async () => {
    const same = () => custom(() => ({ nonce: "n-1" }));
    const webhooks = new Webhooks({ auth: [same(), same()], store: memoryStore() });
    await expect(webhooks.verify({ headers: {}, body })).resolves.toBeDefined();
    await expect(webhooks.verify({ headers: {}, body })).rejects.toMatchObject({ reason: "nonceReused" });
  });
});
