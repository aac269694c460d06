import { type Account, any, type Exit, none, some, type Truth, tally } from "./truth.ts";

const MB = 1_048_576;
/**
 * The growth of a heap beyond which it is a leak: a share of it, what comes and goes, and the rows of the file journal,
 * which it holds: half of all rows, of about a kilobyte each.
 */
const growth = { share: 0.1, bytes: 2 * MB, bytesOfRow: 512 };

/** Accounts for the processes: their ends, and the memory of the one that lived throughout. */
export function accountForProcesses({ exits, ledgers, rows }: Truth): Account[] {
  const [first, last] = thirds(ledgers.flatMap(({ entries }) => entries.filter((entry) => entry.type === "heap")));
  const limit = first * (1 + growth.share) + growth.bytes + rows.after.length * growth.bytesOfRow;
  const ended = (how: Exit["how"]) => exits.filter((exit) => exit.how === how);
  return [
    some("workers killed", ended("killed")),
    none("workers that crashed, by an unhandled rejection for example", ended("crashed")),
    none("workers kept alive by a timer or a socket after the close", ended("hung")),
    some("heap of one worker, first third, MB", Math.round(first / MB)),
    some("heap of one worker, last third, MB", Math.round(last / MB)),
    none("heap of one worker that grew beyond its journal", last > limit ? 1 : 0),
  ];
}

function thirds(samples: readonly { readonly bytes: number }[]): [number, number] {
  const third = Math.max(1, Math.floor(samples.length / 3));
  return [median(samples.slice(0, third)), median(samples.slice(-third))];
}

function median(samples: readonly { readonly bytes: number }[]): number {
  const sorted = samples.map(({ bytes }) => bytes).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

/** Accounts for the faults: each has struck. */
export function accountForFaults({ struck }: Truth, names: readonly string[]): Account[] {
  const counts = tally(struck.map(({ name }) => name));
  return names.map((name) => any(`fault: ${name}`, counts.get(name) ?? 0));
}
