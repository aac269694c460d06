/** A process that claims one offer after another from some files; file.test.ts runs several at the same time. */
import { fileJournal } from "../../../src/flights/journal/file.ts";
import { row } from "./rows.ts";

const [, , path = "", name = "", rounds = "0", files = "1"] = process.argv;
const journals = Array.from({ length: Number(files) }, (_, n) => fileJournal(`${path}${n || ""}`));
process.send?.("ready");
process.once("message", async () => {
  const granted: number[] = [];
  for (let n = 0; n < Number(rounds); n += 1) {
    const id = `${name}-${n}`;
    const offer = { attemptId: id, clientReferenceId: id, traceId: `T${n}`, token: `Q${n}`, fingerprint: "" };
    const journal = journals[n % journals.length];
    if ((await journal?.claim(row(offer), {})) === undefined) granted.push(n);
  }
  process.send?.(granted, () => process.disconnect());
});
