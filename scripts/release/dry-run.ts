/**
 * Rehearses a release: packs the built package, lets npm check it, installs it into an empty folder and streams a first
 * response. Nothing is published.
 *
 *   npm run release:dry [-- --node <binary>…]
 */
import { parseArgs } from "node:util";
import { rehearse } from "./rehearsal.ts";

const { values } = parseArgs({ options: { node: { type: "string", multiple: true, default: [process.execPath] } } });
await rehearse({ project: process.cwd(), nodes: values.node, log: console.log });
