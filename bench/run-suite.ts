/** The process of one part: runs a module of bench/ against the server at a URL, and sends what it returns. */
import process from "node:process";

const [file = "", base = ""] = process.argv.slice(2);
// main.ts has ended, so nobody waits for the results.
process.on("disconnect", () => process.exit());
const { run } = (await import(`./${file}`)) as { readonly run: (base: string) => Promise<unknown> };
process.send?.(await run(base));
