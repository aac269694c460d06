/** Says after a run which suites were not part of it, and how to run them. */
import { existsSync } from "node:fs";
import { canMount } from "./can-mount.ts";

const {
  SERVICEAPI_TEST_NEEDS: needs,
  SERVICEAPI_TEST_REDIS: redis,
  SERVICEAPI_TEST_POSTGRES: postgres,
  CHROMIUM = "/usr/bin/chromium",
} = process.env;

interface Suite {
  readonly left: boolean;
  /** CI has what it needs. */
  readonly isNeeded?: boolean;
  readonly what: string;
  readonly how: string;
}

const suites: readonly Suite[] = [
  {
    left: !redis || !postgres,
    what: "the webhook stores and the booking journal on a real Redis and Postgres",
    how: "npm run test:stores",
  },
  {
    left: process.env.npm_lifecycle_event === "test",
    what: "the command, the pages, the package, the examples and the programs of the guides",
    how: "npm run test:built",
  },
  { left: true, what: "the built package on Node 22 and 26, Deno, Bun and workerd", how: "npm run test:runtimes" },
  { left: true, what: "the webhook example in a real Next.js", how: "npm run test:next" },
  { left: true, what: "the packed package in projects with other tools", how: "npm run test:consumers" },
  {
    left: !existsSync("test/runtimes/node_modules"),
    isNeeded: true,
    what: "the webhook examples on Deno, Bun and workerd, and the types on the oldest compiler",
    how: "npm --prefix test/runtimes ci, and again",
  },
  {
    left: !existsSync(CHROMIUM),
    isNeeded: true,
    what: "the chat page and the emulator's console in a browser",
    how: "install chromium, or name it in CHROMIUM",
  },
  { left: !canMount, what: "the command on a full disk", how: "on Linux with user namespaces" },
];

/** Refuses a run whose machine lacks what a suite needs, if `.ci/run` asks for all. */
export default function setup(): () => void {
  const missing = suites.filter(({ left, isNeeded }) => left && isNeeded);
  if (needs === "all" && missing.length > 0) throw new Error(`left out: ${linesOf(missing).join(", ")}`);
  return () => console.log(["\nNot part of this run:", ...linesOf(suites.filter(({ left }) => left))].join("\n  "));
}

function linesOf(of: readonly Suite[]): readonly string[] {
  return of.map(({ what, how }) => `${what}: ${how}`);
}
