/** Says after a run which suites were left out, and how to run them. In CI, refuses to run without some of them. */
import { existsSync } from "node:fs";
import { canMount } from "./can-mount.ts";

const {
  SERVICEAPI_TEST_NEEDS: needs,
  SERVICEAPI_TEST_REDIS: redis,
  SERVICEAPI_TEST_POSTGRES: postgres,
  CHROMIUM = "/usr/bin/chromium",
} = process.env;

interface Suite {
  readonly isLeftOut: boolean;
  /** Whether `.ci/run` installs what it needs, so that it must run there. */
  readonly isRequired?: boolean;
  readonly what: string;
  readonly how: string;
}

const suites: readonly Suite[] = [
  {
    isLeftOut: !redis || !postgres,
    what: "the webhook stores and the booking journal on a real Redis and Postgres",
    how: "npm run test:stores",
  },
  {
    isLeftOut: process.env.npm_lifecycle_event === "test",
    what: "the command, the pages, the package, the examples, the programs of the guides and hostile servers",
    how: "npm run test:built",
  },
  { isLeftOut: true, what: "the built package on Node 22 and 26, Deno, Bun and workerd", how: "npm run test:runtimes" },
  { isLeftOut: true, what: "the webhook example in a real Next.js", how: "npm run test:next" },
  { isLeftOut: true, what: "the packed package in projects with other tools", how: "npm run test:consumers" },
  {
    isLeftOut: !existsSync("test/runtimes/node_modules"),
    isRequired: true,
    what: "the webhook examples on Deno, Bun and workerd, and the types on the oldest compiler",
    how: "npm --prefix test/runtimes ci, and again",
  },
  {
    isLeftOut: !existsSync(CHROMIUM),
    isRequired: true,
    what: "the chat page and the emulator's console in a browser",
    how: "install chromium, or name it in CHROMIUM",
  },
  { isLeftOut: !canMount, what: "the command on a full disk", how: "on Linux with user namespaces" },
];

/** Refuses a run without a required suite if `.ci/run` asks for all. */
export default function setup(): () => void {
  const leftOut = suites.filter(({ isLeftOut }) => isLeftOut);
  const missing = leftOut.filter(({ isRequired }) => isRequired);
  if (needs === "all" && missing.length > 0) throw new Error(`left out: ${missing.map(lineOf).join(", ")}`);
  return () => console.log(["\nNot part of this run:", ...leftOut.map(lineOf)].join("\n  "));
}

function lineOf({ what, how }: Suite): string {
  return `${what}: ${how}`;
}
