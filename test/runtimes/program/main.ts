import { Context, type Settings } from "./context.ts";
import { parts } from "./run.ts";
import { createGlobals } from "./surroundings.ts";

/** The program in Node, Deno and Bun: `main.ts <settings> <address of serviceapi> <address of serviceapi/webhooks>`. */
const [settings = "", serviceapi = "", webhooks = ""] = process.argv.slice(2);
const { Bun: bun, gc } = globalThis as { Bun?: { gc(force: boolean): void }; gc?: () => void };

const context = new Context(
  {
    serviceapi: await import(serviceapi),
    webhooks: await import(webhooks),
    writeLine: (line) => console.log(line),
    collectGarbage: bun === undefined ? gc : () => bun.gc(true),
  },
  JSON.parse(settings) as Settings,
);
const globals = createGlobals(context);
for (const run of Object.values(parts)) await run(context, globals);
