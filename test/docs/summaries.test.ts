import { describe, expect, it } from "vitest";
import { publicEntries, readSurface } from "./surface.ts";

const entries = publicEntries(readSurface());

describe("what an editor shows for each export and each public member", () => {
  it("is read from every entry point, members, bases and re-exports included", () => {
    const names = entries.map(({ place }) => place.split(" ")[1]);
    expect(names).toEqual(
      expect.arrayContaining([
        "ServiceApi",
        "ServiceApi.withOptions",
        "Client.send",
        "ServiceApiError.outcome",
        "storeSuite",
        "isUsable",
      ]),
    );
    expect(names.length).toBeGreaterThan(1_000);
    expect(new Set(entries.map(({ place }) => place)).size).toBe(entries.length);
  });

  it("is a summary", () => {
    expect(entries.filter(({ comment }) => comment.trim() === "").map(({ place }) => place)).toEqual([]);
  });

  it("is a sentence", () => {
    const isSentence = (comment: string) => /^[\p{Lu}\d`"'([{<§][\s\S]*[.?:]$/u.test(comment.split("\n\n")[0] ?? "");
    const others = entries.filter(({ comment }) => comment !== "" && !isSentence(comment));
    expect(others.map(({ place, comment }) => `${place}: ${comment}`)).toEqual([]);
  });
});
