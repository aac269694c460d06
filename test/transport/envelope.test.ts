import { describe, expect, it } from "vitest";
import { isObject } from "../../src/shared/json.ts";
import { readEnvelope } from "../../src/transport/envelope.ts";

describe("§1: both response styles are read on every operation", () => {
  it.each([
    ["the style of verification", { status: "success", statusCode: "101" }, "success", "101"],
    ["the style of AI and flights", { status: "SUCCESS", status_code: "200" }, "success", "200"],
    ["a failure in lower case", { status: "failed", statusCode: "400" }, "failed", "400"],
    ["a failure in upper case", { status: "FAILED", status_code: "400" }, "failed", "400"],
    ["upper case with the other key", { status: "FAILED", statusCode: "400" }, "failed", "400"],
    ["mixed case", { status: "Failed", status_code: "400" }, "failed", "400"],
    ["a code as a number", { status: "success", statusCode: 101 }, "success", "101"],
    ["the other code as a number", { status: "SUCCESS", status_code: 200 }, "success", "200"],
    ["an answer that is still on its way", { status: "pending", statusCode: "102" }, "pending", "102"],
    ["one that is being worked on", { status: "PROCESSING", status_code: "206" }, "pending", "206"],
    [
      "a status of another kind with a code that says no",
      { status: "BAD_REQUEST_ERROR", status_code: "403" },
      "failed",
      "403",
    ],
    ["a status of another kind with a code that does not", { status: "OK", status_code: "200" }, "unknown", "200"],
    ["spaces around a status", { status: " SUCCESS\n" }, "success", undefined],
    ["a code alone that says no", { status_code: 500 }, "failed", "500"],
    ["the first code that says no", { status_code: "400" }, "failed", "400"],
    ["the last code that does not", { status_code: "399" }, "unknown", "399"],
    ["no status", { data: {} }, "unknown", undefined],
    ["a status that is no text", { status: true }, "unknown", undefined],
    ["a status named like a part of every object", { status: "constructor" }, "unknown", undefined],
    [
      "a code that is neither text nor number",
      { status: "success", statusCode: null, status_code: {} },
      "success",
      undefined,
    ],
    ["a status that wins over its code", { status: "success", statusCode: "404" }, "success", "404"],
  ])("%s", (_case, body, verdict, statusCode) => {
    expect(readEnvelope(body)).toEqual({ verdict, statusCode, serviceMessage: undefined });
  });

  it("returns the message if it is a string", () => {
    expect(readEnvelope({ message: "No UPI ID found" }).serviceMessage).toBe("No UPI ID found");
    expect(readEnvelope({ message: ["a list"] }).serviceMessage).toBeUndefined();
  });

  it.each([null, undefined, "text", 7, true, []])("%j has neither a status nor a message", (body) => {
    expect(readEnvelope(body)).toEqual({ verdict: "unknown", statusCode: undefined, serviceMessage: undefined });
    expect(isObject(body)).toBe(false);
  });
});
