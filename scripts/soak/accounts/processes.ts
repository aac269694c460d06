import type { Entry } from "../ledger.ts";
import { type Account, any, none, some } from "./account.ts";
import { type Exit, entriesOf, type Truth } from "./truth.ts";

/** Accounts for the ends of the processes. */
export function accountForProcesses({ exits }: Truth): Account[] {
  const ended = (how: Exit["how"]) => (exit: Exit) => exit.how === how;
  return [
    some("workers killed", exits, ended("killed")),
    none("workers that crashed, by an unhandled rejection for example", exits, ended("crashed")),
    none("workers kept alive by a timer or a socket after the close", exits, ended("hung")),
  ];
}

/** The calls in which a worker compiles its code and fills its pools, and the fewest samples after them that show a trend. */
const trend = { calls: 500, samples: 45 };
/** Bytes by which the median of a heap that does not grow may rise from its first third to its last: calls in progress. */
const noise = 1_048_576;

/** Minutes after which a worker that is never killed has that many samples, also on a busy machine. */
const enough = 8;

/** Accounts for the memory of the workers. The journal keeps its rows in memory: they are measured and subtracted. */
export function accountForHeaps({ ledgers }: Truth, minutes: number): Account[] {
  const bytesPerByte = median(
    entriesOf(ledgers, "journal").map(({ bytes, fileSize }) => (fileSize === 0 ? 0 : bytes / fileSize)),
  );
  const grown = ledgers
    .map(({ process, entries }) => ({ process, heaps: warmHeaps(entries) }))
    .filter(({ heaps }) => heaps.length >= trend.samples)
    .map(({ process, heaps }) => {
      const journal = heaps.map(({ fileSize }) => fileSize * bytesPerByte);
      const rest = heaps.map(({ bytes }, i) => bytes - (journal[i] ?? 0));
      return { process, journal: growthOf(journal), rest: growthOf(rest) };
    });
  const most = (of: "journal" | "rest") => Math.round(Math.max(0, ...grown.map((each) => each[of])) / 1_024);
  return [
    (minutes < enough ? any : some)("workers that lived long enough to judge their heap", grown),
    any("… most growth of a heap by the rows of the journal, KB", most("journal")),
    any("… most growth of a heap by all else, KB", most("rest")),
    none("… whose heap grew by more than the journal", grown, ({ rest }) => rest > noise),
  ];
}

function warmHeaps(entries: readonly Entry[]) {
  let calls = 0;
  return entries.flatMap((entry) => {
    if (entry.type === "outcome") calls += 1;
    return entry.type === "heap" && calls >= trend.calls ? [entry] : [];
  });
}

/** Returns by how much the last third of some numbers is above the first. */
function growthOf(numbers: readonly number[]): number {
  const third = Math.floor(numbers.length / 3);
  return median(numbers.slice(-third)) - median(numbers.slice(0, third));
}

function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

/** Accounts for the faults: each was planned, and has to hit something. */
export function accountForFaults({ strikes }: Truth, names: readonly string[]): Account[] {
  const hits = (name: string) =>
    strikes.filter((strike) => strike.name === name).reduce((sum, strike) => sum + strike.hits, 0);
  return [...new Set(names)].map((name) => some(`fault: ${name}`, hits(name)));
}
