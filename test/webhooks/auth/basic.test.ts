import { describe, expect, it, vi } from "vitest";
import { basic, ConfigurationError, Webhooks } from "../../../src/webhooks/index.ts";
import { reasonOf } from "../support.ts";

const body = '{"status":"DUPLICATE","client_referenceId":"demo-po-1"}';
const credentials = [
  { username: "payouts", password: "old one" },
  { username: "Zürich", password: "pä:ss ₹" },
];
// printf 'Zürich:pä:ss ₹' | base64
const authorization = "Basic WsO8cmljaDpww6Q6c3Mg4oK5";
const outcomeOf = (headers: Record<string, string>, webhooks = new Webhooks({ auth: [basic({ credentials })] })) =>
  reasonOf(webhooks.verify({ headers, body }));

describe("Basic Authentication (RFC 7617)", () => {
  it.each([
    ["accepted", authorization],
    ["accepted", authorization.replace("Basic", "bAsIc")],
    ["accepted", `Basic ${btoa("payouts:old one")}`],
    ["credentialsMismatch", `Basic ${btoa("payouts:old one ")}`],
    ["credentialsMismatch", `Basic ${btoa("payouts:")}`],
    ["credentialsMismatch", `Basic ${btoa("Payouts:old one")}`],
    ["credentialsMismatch", `Basic ${btoa("payouts:pä:ss ₹".replace("₹", ""))}`],
    ["credentialsMismatch", `Basic ${btoa("payouts")}`],
    // The user name of one with the password of another.
    ["credentialsMismatch", `Basic ${Buffer.from("payouts:pä:ss ₹").toString("base64")}`],
    ["credentialsMismatch", "Basic !!!"],
    ["credentialsMismatch", `Basic ${btoa("\xff\xff:x")}`],
    ["credentialsMismatch", `Bearer ${btoa("payouts:old one")}`],
    ["credentialsMismatch", `Basic ${btoa("x:y")}, ${authorization}`],
    ["credentialsMismatch", `Basic ${btoa("\xef\xbb\xbfpayouts:old one")}`],
  ])("%s: %s", async (outcome, header) => {
    expect(await outcomeOf({ Authorization: header })).toBe(outcome);
  });

  it("takes no user name without a colon for its own password", async () => {
    const webhooks = new Webhooks({ auth: [basic({ credentials: [{ username: "payout", password: "payouts" }] })] });
    expect(await outcomeOf({ authorization: `Basic ${btoa("payouts")}` }, webhooks)).toBe("credentialsMismatch");
  });

  it.each([
    [4_096, "accepted"],
    [4_097, "credentialsMismatch"],
  ])("reads a header of %i characters: %s", async (length, outcome) => {
    const value = btoa("payouts:old one");
    const spaces = " ".repeat(length - "Basic".length - value.length);
    expect(await outcomeOf({ authorization: `Basic${spaces}${value}` })).toBe(outcome);
  });

  it("says when the header is missing", async () => {
    expect(await outcomeOf({})).toBe("credentialsMissing");
  });

  it("does the same with WebCrypto", async () => {
    vi.spyOn(process, "getBuiltinModule").mockReturnValue(undefined as never);
    const webhooks = new Webhooks({ auth: [basic({ credentials })] });
    vi.restoreAllMocks();
    expect(await outcomeOf({ authorization }, webhooks)).toBe("accepted");
    expect(await outcomeOf({ authorization: `Basic ${btoa("a:b")}` }, webhooks)).toBe("credentialsMismatch");
  });

  it("makes what it accepts", async () => {
    const webhooks = new Webhooks({ auth: [basic({ credentials })] });
    await expect(webhooks.verify(await webhooks.sign(body))).resolves.toBeDefined();
  });

  it.each([
    [[]],
    [[{ username: "", password: "x" }]],
    [[{ username: "x", password: " " }]],
    [[{ username: " ", password: "x" }]],
    [[{ password: "x" }]],
    [[{ username: "a:b", password: "x" }]],
    [[{ username: "a" }]],
    [[{ username: "a", password: "b", pasword: "c" }]],
    [[{ username: "a", password: 7 }]],
    [[{ username: "a", password: "x".repeat(1_024) }]],
    [[undefined]],
    [[credentials[0], null]],
    [Array(1)],
    [undefined],
    [credentials[0]],
  ])("refuses the credentials %j", (broken) => {
    expect(() => basic({ credentials: broken as never })).toThrow(/^basic: /);
  });

  it("accepts credentials of 1,024 bytes", () => {
    expect(() => basic({ credentials: [{ username: "a", password: "x".repeat(1_023) }] })).not.toThrow();
  });

  it("refuses an unknown option", () => {
    expect(() => basic({ credentials, credential: credentials } as never)).toThrow(/did you mean "credentials"/);
    expect(() => basic(undefined as never)).toThrow(ConfigurationError);
  });
});
