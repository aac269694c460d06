/** Draws parts of `npm run demo` as a terminal: `npx tsx scripts/pictures/demo.ts` writes docs/demo-{light,dark}.svg. */
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { drawTerminal } from "./terminal.ts";

/** The parts that are shown, by their headings. */
const parts = ["UPI verification", "Fare quote", "Booking", "Payout webhook", "What can go wrong"];
/** Of all errors that the demo shows, this one. */
const error = "BookingOutcomeUnknownError";

const esc = "\u001b";
const env = { ...process.env, FORCE_COLOR: "1" };
const output = execFileSync(process.execPath, ["--import", "tsx", "examples/demo/main.ts"], {
  cwd: fileURLToPath(new URL("../../", import.meta.url)),
  encoding: "utf8",
  env,
});
const isShown = (part: string) => parts.some((title) => stripVTControlCharacters(part).startsWith(title));
const shown = output.split(new RegExp(`\n\n(?=${esc}\\[1m)`)).filter(isShown);
if (shown.length !== parts.length) throw new Error(`The demo shows ${shown.length} of the ${parts.length} parts.`);
const [heading = "", ...errors] = (shown.pop() ?? "").split(/\n(?= {2}\S)/);
shown.push([heading, ...errors.filter((text) => text.includes(error))].join("\n"));
const lines = ["$ npm run demo", "", ...shown.join("\n\n").trimEnd().split("\n")];

drawTerminal("demo", lines, "A terminal with the output of npm run demo");
