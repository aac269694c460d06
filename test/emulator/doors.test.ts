import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const src = fileURLToPath(new URL("../../src/", import.meta.url));
const areas = ["ai", "callback-url", "flights", "verification", "webhooks"];

/** The modules through which the emulator may enter an area: what the client sends, its types and its schemas. */
const doors = [
  "ai/operations.ts",
  "ai/schemas.ts",
  "ai/types.ts",
  "flights/operations.ts",
  "flights/quote/money.ts",
  "flights/schemas.ts",
  "flights/types/index.ts",
  "flights/types/tokens.ts",
  "verification/operations.ts",
  "verification/schemas.ts",
  "verification/types.ts",
  "webhooks/auth/check.ts",
  "webhooks/check-acknowledgement.ts",
  "webhooks/events.ts",
  "webhooks/sign.ts",
];

it("the emulator enters the areas of the client through few doors", () => {
  const entered = readdirSync(join(src, "emulator"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .flatMap((name) => {
      const file = join(src, "emulator", name);
      const imports = readFileSync(file, "utf8").matchAll(/ from "(\.[^"]+\.ts)"/g);
      return [...imports].map(([, path = ""]) => relative(src, join(dirname(file), path)).replaceAll("\\", "/"));
    })
    .filter((module) => areas.includes(module.split("/")[0] ?? ""));
  expect(entered).toContain("flights/operations.ts");
  expect([...new Set(entered)].filter((module) => !doors.includes(module))).toEqual([]);
});
