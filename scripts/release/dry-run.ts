/**
 * Rehearses a release: packs the built package, publishes it to a registry on loopback, installs it from there into an
 * empty folder and streams a first response. Nothing is published elsewhere: another registry than one on 127.0.0.1 is
 * refused.
 *
 *   npm run release:dry [-- --node <binary>…] [--registry http://127.0.0.1:4873]
 */
import { parseArgs } from "node:util";
import { rehearse } from "./rehearsal.ts";

const { values } = parseArgs({
  options: { node: { type: "string", multiple: true, default: [process.execPath] }, registry: { type: "string" } },
});
await rehearse({ project: process.cwd(), nodes: values.node, registry: values.registry, log: console.log });
