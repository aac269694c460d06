import { describe, expect, it } from "vitest";
import { problemsOf } from "../../scripts/release/guard.ts";

const ready = {
  manifest: { version: "1.2.3", repository: { url: "git+https://github.com/acme/serviceapi.git" } },
  changelog: "# Changelog\n\nWords.\n\n## 1.2.3\n\nReleased 2026-11-22.\n\n## 1.2.2\n\nReleased 2026-11-21.\n",
  changesets: [],
  uncommitted: [],
};

describe("before a release", () => {
  it("there is no problem if all is committed, dated and part of a version", () => {
    expect(problemsOf(ready)).toEqual([]);
  });

  it.each([
    [{ uncommitted: [" M README.md"] }, "Commit or remove them"],
    [{ changesets: ["one.md"] }, "one.md are not part of a version. Run `npm run version`."],
    [{ manifest: { ...ready.manifest, version: "1.3.0" } }, "no entry for 1.3.0"],
    [{ changelog: ready.changelog.replace("Released 2026-11-22.", "Not released yet.") }, "has no date"],
    [{ manifest: { version: "1.2.3" } }, "Run `npm run release:fields -- <its URL>`."],
  ])("%j is a problem", (change, message) => {
    expect(problemsOf({ ...ready, ...change })).toEqual([expect.stringContaining(message)]);
  });
});
