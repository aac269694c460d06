/** Says after a run which suites were not part of it, and how to run them. */
import { existsSync } from "node:fs";

const {
  SERVICEAPI_TEST_REDIS: redis,
  SERVICEAPI_TEST_POSTGRES: postgres,
  CHROMIUM = "/usr/bin/chromium",
} = process.env;

const suites = [
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
    what: "the webhook examples on Deno, Bun and workerd",
    how: "npm --prefix test/runtimes ci, and again",
  },
  {
    left: !existsSync(CHROMIUM),
    what: "the chat page and the emulator's console in a browser",
    how: "install chromium, or name it in CHROMIUM",
  },
];

export default function setup(): () => void {
  return () => {
    const lines = suites.filter(({ left }) => left).map(({ what, how }) => `  ${what}: ${how}`);
    console.log(["\nNot part of this run:", ...lines].join("\n"));
  };
}
