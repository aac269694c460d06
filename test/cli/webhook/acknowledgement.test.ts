import { describe, expect, it } from "vitest";
import { findProblems } from "../../../src/cli/webhook/fire.ts";

describe("the problems of an acknowledgement (§6.3)", () => {
  const right = { http_status: true, status: "SUCCESS", client_referenceId: "a", statusCode: "200", acknowledged: "1" };
  const verdict = (changes: object, answer: object = {}) =>
    findProblems({ duration: 5, status: 200, text: JSON.stringify({ ...right, ...changes }), ...answer }, "a");

  it("finds nothing wrong with the documented body", () => {
    expect(verdict({})).toEqual([]);
    expect(verdict({ status: "DUPLICATE", statusCode: "208" })).toEqual([]);
  });

  it.each([
    [{ http_status: "true" }, {}, /http_status/],
    [{ status: "OK" }, {}, /SUCCESS, FAILED or DUPLICATE/],
    [{ statusCode: 200 }, {}, /the string "200" for SUCCESS/],
    [{ statusCode: "208" }, {}, /the string "200" for SUCCESS/],
    [{ client_referenceId: "b" }, {}, /echo/],
    [{ acknowledged: 1 }, {}, /"1"/],
    [{ status: "FAILED", statusCode: "400" }, {}, /FAILED/],
    [{}, { status: 201 }, /must always be 200/],
    [{}, { duration: 7_001 }, /7 s/],
    [{}, { text: "[]" }, /not a JSON object/],
    [{}, { headers: new Headers({ "x-powered-by": "PHP" }) }, /x-powered-by/],
    [{}, { failure: "ECONNRESET" }, /No response came: ECONNRESET/],
  ])("%j %j", (changes, answer, message) => {
    expect(verdict(changes, answer)).toEqual([expect.stringMatching(message)]);
  });
});
