/** Replaces what the programs of the guides import: `pg` by a Postgres in this process, vitest by the runner of Node. */
import { registerHooks } from "node:module";

const standIns: Readonly<Record<string, string>> = {
  pg: new URL("./pg.ts", import.meta.url).href,
  vitest: "node:test",
};

registerHooks({
  resolve: (specifier, context, nextResolve) => nextResolve(standIns[specifier] ?? specifier, context),
});
