import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { pathsBelow, read, root } from "./blocks.ts";

const page = read("ARCHITECTURE.md");
const files = ["src", "test", "bench", "scripts", "examples"].flatMap(pathsBelow);

describe("ARCHITECTURE.md", () => {
  it("names files and folders that exist", () => {
    expect(namesIn(page).length).toBeGreaterThan(40);
    expect(namesIn(page).filter((name) => !exists(name))).toEqual([]);
  });

  it("has each room of src/ in its tree", () => {
    const rooms = readdirSync(join(root, "src")).filter((name) => statSync(join(root, "src", name)).isDirectory());
    const tree = /```\n(src\/\n[\s\S]*?)```/.exec(page)?.[1] ?? "";
    expect(rooms.filter((room) => !new RegExp(`^ {2}${room}/`, "m").test(tree))).toEqual([]);
  });
});

describe("a name in ARCHITECTURE.md", () => {
  it("is a path that ends in .ts, a pattern of such paths, or a folder with its slash", () => {
    const text =
      "In `client.ts`, `ai/`, a `Request` and *word.ts*; `api/v2/x.json`.\n\n| a | and/or four.ts |\n\n```\nsrc/\n  cli/    one.ts · two/{a,b}.ts (three/)\n  run(x) → y\n```";
    expect(namesIn(text)).toEqual([
      "client.ts",
      "ai/",
      "four.ts",
      "src/",
      "cli/",
      "one.ts",
      "two/a.ts",
      "two/b.ts",
      "three/",
    ]);
  });

  it.each(["client.ts", "src/client.ts", "transport/call.ts", "call.ts", "webhooks/", "auth/", "package.test.ts"])(
    "exists: %s",
    (name) => {
      expect(exists(name)).toBe(true);
    },
  );

  it.each(["clients.ts", "src/call.ts", "lient.ts", "transport/client.ts", "web/", "node_modules/", "call.ts/"])(
    "does not exist: %s",
    (name) => {
      expect(exists(name)).toBe(false);
    },
  );
});

/** The files and folders that the code spans, code blocks and tables of a page name, `{a,b}` resolved. */
function namesIn(text: string): string[] {
  const code = [...text.matchAll(/```[\s\S]*?```|^\|.*\|$|`[^`\n]+`/gm)].map(([span]) => span).join("\n");
  const paths =
    code.match(
      /(?<![\w./:@{,-])(?:[\w.-]+\/|\{[\w.,-]+\}\/?)*(?:(?:[\w.-]+|\{[\w.,-]+\})\.ts|[\w.-]+\/)(?![\w/{*])/g,
    ) ?? [];
  return [...new Set(paths.flatMap(resolved))];
}

/** `a/{b,c}.ts` as `a/b.ts` and `a/c.ts`. */
function resolved(path: string): string[] {
  const [, before = "", choices, after = ""] = /^([^{]*)\{([^}]+)\}(.*)$/.exec(path) ?? [];
  return choices === undefined ? [path] : choices.split(",").flatMap((choice) => resolved(before + choice + after));
}

/** Whether a path exists below the project's folder, or is the end of one that does. */
function exists(name: string): boolean {
  if (name.endsWith("/")) {
    const folder = name.slice(0, -1);
    const isHere = existsSync(join(root, folder)) && folder !== "node_modules";
    return isHere || files.some((file) => `/${file}`.includes(`/${folder}/`));
  }
  return existsSync(join(root, name)) || files.some((file) => `/${file}`.endsWith(`/${name}`));
}
