import { describe, expect, it } from "vitest";
import { StreamWarnings } from "../../../src/ai/stream/warnings.ts";

const issue = (field: string) => ({ path: [field], code: "custom", message: "differs" });

describe("the warnings of a stream", () => {
  it("name the event, and each place once", () => {
    const warnings = new StreamWarnings();
    expect(warnings.addDrift("response_output", [issue("status"), issue("sequence_no")])).toEqual([
      "response_output.status",
      "response_output.sequence_no",
    ]);
    expect(warnings.addDrift("response_output", [issue("status")])).toEqual([]);
    expect(warnings.addDrift("response_completed", [issue("status")])).toEqual(["response_completed.status"]);
    expect(warnings.list.map(({ path }) => path.join("."))).toEqual([
      "response_output.status",
      "response_output.sequence_no",
      "response_completed.status",
    ]);
  });

  it("are at most 100, drift and others together", () => {
    const warnings = new StreamWarnings();
    for (let i = 0; i < 60; i++) warnings.add(issue("sequence_no"));
    for (let i = 0; i < 200; i++) warnings.addDrift("response_output", [issue(`field${i}`)]);
    expect(warnings.list).toHaveLength(100);
  });

  it("do not change a list that was read before", () => {
    const warnings = new StreamWarnings();
    const before = warnings.list;
    warnings.add(issue("sequence_no"));
    expect(before).toEqual([]);
  });
});
