/**
 * Draws `npx serviceapi emulator` with two requests as a terminal: `npx tsx scripts/pictures/emulator.ts` writes
 * docs/emulator-{light,dark}.svg. Port 4010 must be free.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { ServiceApi } from "serviceapi";
import { drawTerminal } from "./terminal.ts";

/** The characters that fit into a line of the picture. */
const width = 102;
const esc = "\u001b";
const code = new RegExp(`(${esc}\\[\\d+m)`);

const main = fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url));
const env = { ...process.env, FORCE_COLOR: "1" };
const child = spawn(process.execPath, ["--import", "tsx", main, "emulator"], { env });
let output = "";
child.stdout.on("data", (chunk) => {
  output += chunk;
});

await until("Press Ctrl-C to stop.");
const api = new ServiceApi({ baseUrl: "http://127.0.0.1:4010", clientId: "demo", clientSecret: "demo-secret" });
await api.verification.findVpas({ vpa_mobile: "6000000001", consent: "Y" });
await api.verification.findVpas({ vpa_mobile: "6000000404", consent: "Y" }).catch(() => {});
await until(`404${esc}[39m`);
child.kill("SIGINT");
await once(child, "close");

const lines = ["$ npx serviceapi emulator", "", ...output.trimEnd().split("\n").map(cut)];
drawTerminal("emulator", lines, "A terminal with the output of npx serviceapi emulator");

async function until(text: string): Promise<void> {
  while (!output.includes(text)) await once(child.stdout, "data");
}

/** Cuts a line that is too long, and keeps its ANSI codes. */
function cut(line: string): string {
  if (stripVTControlCharacters(line).length <= width) return line;
  let room = width - 1;
  const pieces = line.split(code).map((piece, index) => {
    if (index % 2 === 1) return piece;
    const kept = piece.slice(0, room);
    room -= kept.length;
    return kept;
  });
  return `${pieces.join("")}…`;
}
