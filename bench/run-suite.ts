/** The process of one part: runs it against the server at a URL and sends its figures to main.ts. */
import { isSuiteName, suites } from "./suites.ts";

const [name = "", base = ""] = process.argv.slice(2);
if (!isSuiteName(name)) throw new Error(`unknown part ${name}`);
// main.ts has ended, so nobody waits for the figures.
process.on("disconnect", () => process.exit());
const { run } = await suites[name].load();
process.send?.(await run(base));
