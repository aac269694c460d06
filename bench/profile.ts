/**
 * The parts of the CPU of an operation, by the file that runs, or that called the built-in function which runs. Of the
 * library it is the file of the source, whose name stands above its code in `dist`.
 */
import { readFileSync } from "node:fs";
import { type Profiler, Session } from "node:inspector/promises";
import { fileURLToPath } from "node:url";

/** The samples of a contestant by place, over its slices. */
export class Profile {
  readonly samples = new Map<string, number>();

  /** Profiles work that was done before, so that its code is compiled. */
  async during<Result>(work: () => Promise<Result>): Promise<Result> {
    const session = new Session();
    session.connect();
    await session.post("Profiler.enable");
    await session.post("Profiler.setSamplingInterval", { interval: 200 });
    await session.post("Profiler.start");
    const result = await work();
    const { profile } = await session.post("Profiler.stop");
    session.disconnect();
    for (const place of placesOf(profile)) this.samples.set(place, (this.samples.get(place) ?? 0) + 1);
    return result;
  }
}

/** The place of each sample in which the process was not idle. */
function placesOf({ nodes, samples = [] }: Profiler.Profile): string[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const places = new Map<number, string>();
  const visit = ({ id, callFrame, children = [] }: Profiler.ProfileNode, caller: string | undefined) => {
    const place = placeOf(callFrame) ?? caller;
    places.set(id, place ?? callFrame.functionName);
    for (const child of children) visit(byId.get(child) as Profiler.ProfileNode, place);
  };
  visit(nodes[0] as Profiler.ProfileNode, undefined);
  return samples.map((id) => places.get(id) as string).filter((place) => place !== "(idle)");
}

function placeOf({ url, lineNumber }: { readonly url: string; readonly lineNumber: number }): string | undefined {
  if (url === "") return undefined;
  if (url.startsWith("node:")) return "Node: fetch, streams, timers";
  const [, module] = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url) ?? [];
  if (module !== undefined) return module;
  if (!url.includes("/dist/")) return "the bench";
  return sourcesOf(fileURLToPath(url)).findLast(({ line }) => line <= lineNumber)?.source ?? "dist";
}

const known = new Map<string, readonly { readonly line: number; readonly source: string }[]>();

/** The lines of a file of `dist` at which the code of a source begins. */
function sourcesOf(file: string) {
  const found =
    known.get(file) ??
    readFileSync(file, "utf8")
      .split("\n")
      .flatMap((text, line) => {
        const [, source] = /^\/\/ (?:src|node_modules)\/(.+)\.[jt]s$/.exec(text) ?? [];
        return source === undefined ? [] : [{ line, source }];
      });
  known.set(file, found);
  return found;
}

/** A place, and its part of all samples. */
export type Share = readonly [place: string, part: number];

/** The places that take most, the largest first; all below that part are one. */
export function largestShares({ samples }: Profile, least: number): Share[] {
  const all = [...samples.values()].reduce((sum, count) => sum + count, 0);
  const shares = [...samples].map(([place, count]): Share => [place, count / all]);
  const shown = shares.filter(([, part]) => part >= least).toSorted(([, a], [, b]) => b - a);
  const rest = 1 - shown.reduce((sum, [, part]) => sum + part, 0);
  return [...shown, [`others (${shares.length - shown.length})`, rest]];
}
