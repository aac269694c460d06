/** The used part of dynalite, which has no types. */
declare module "dynalite" {
  import type { Server } from "node:http";

  export default function dynalite(options: { readonly createTableMs: number }): Server;
}
