import { describe, expect, it } from "vitest";
import { startStation } from "./support.ts";

describe("serviceapi rules", () => {
  it("shows the HTML of the airline as text in 80 columns, also in other scripts", async () => {
    const { run, search } = await startStation("international-roundtrip-family");
    const { out, err, code } = await run(["rules", ...search]);
    expect([code, err]).toEqual([0, ""]);
    expect(out.replaceAll(/\d{4}-\d\d-\d\d/g, "YYYY-MM-DD")).toMatchSnapshot();
    expect(out.split("\n").filter((line) => line.length > 80)).toEqual([]);
  });

  it("neither runs nor shows what hostile HTML holds for a browser or a terminal", async () => {
    const { emulator, run, search } = await startStation();
    emulator.on("flights.fareRule", "success-hostile-html");
    const { out } = await run(["rules", ...search]);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for.
    expect(out).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f]|alert\(/);
    expect(out).not.toBe("");
  });

  it("decodes no entity into an escape sequence", async () => {
    const { emulator, run, search } = await startStation();
    emulator.on("flights.fareRule", {
      status: "SUCCESS",
      status_code: "200",
      message: "",
      data: { trace_id: search[0], result: [{ ...bareRule, fare_rules: "<b>A</b>&#27;[2J&#x9b;31m no show" }] },
    });
    expect((await run(["rules", ...search])).out).toMatch(/^ {2}A.* no show$/m);
    const { out } = await run(["rules", ...search]);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for.
    expect(out).not.toMatch(/[\x1b\x9b]/);
  });

  it("says that the rules are empty", async () => {
    const { emulator, run, search } = await startStation();
    emulator.on("flights.fareRule", "success-empty-text");
    expect(await run(["rules", ...search])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/has not worded its rules/),
    });
  });

  it("prints text and body as JSON", async () => {
    const { run, search } = await startStation();
    const { rules, body } = JSON.parse((await run(["rules", ...search, "--json"])).out);
    expect(rules).toMatchObject([
      { origin: "DEL", destination: "BOM", text: expect.not.stringMatching(/<\/?(?:b|br|li|p)\b/) },
    ]);
    expect(body.data.result[0].fare_rules).toMatch(/<\w/);
  });

  it("ends with exit code 3 for the rules of another trace", async () => {
    const { run, search } = await startStation();
    const { out, code } = await run(["rules", "another-trace", search[1], "--json"]);
    expect([code, JSON.parse(out).error.outcome]).toEqual([3, "rejected"]);
  });
});

const bareRule = {
  origin: "DEL",
  destination: "BOM",
  airline: "ZZ",
  flight_id: 0,
  departure_time: "0001-01-01 00:00:00",
  return_time: "0001-01-01 00:00:00",
  fare_inclusions: [],
  fare_restriction: null,
};
