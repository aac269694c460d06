import { describe, expect, it } from "vitest";
import { ConfigurationError, hmac, sign } from "../../src/webhooks/index.ts";

const check = hmac({ header: "x-signature", secrets: ["k"] });
const event = { status: "DUPLICATE", client_referenceId: "po-1" };

describe("sign()", () => {
  it.each<[string, readonly unknown[]]>([
    ["an event that is none", [undefined, check]],
    ["an event of null", [null, check]],
    ["no scheme", [event, undefined]],
    ["an empty list", [event, []]],
    ["a list with a hole", [event, Array(1)]],
    ["a list with undefined", [event, [check, undefined]]],
    ["another word than none", [event, "None"]],
    ["a misspelt option", [event, check, { nwo: 1 }]],
    ["`now: NaN`", [event, check, { now: Number.NaN }]],
    ["an id that is no string", [event, check, { id: 7 }]],
  ])("refuses %s", async (_, given) => {
    await expect(Reflect.apply(sign, undefined, given)).rejects.toThrow(ConfigurationError);
  });

  it("signs for one check, for several and for none", async () => {
    for (const scheme of [check, [check]]) {
      expect((await sign(event, scheme)).headers).toHaveProperty("x-signature");
    }
    expect((await sign(event, "none")).headers).toEqual({ "content-type": "application/json" });
  });
});
