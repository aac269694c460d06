/** What of `serviceapi/flights` needs Node (or Bun or Deno): the entry point `serviceapi/flights/node`. */
export { fileJournal } from "./journal-file.ts";
