import { once } from "node:events";

/**
 * Waits until a command has ended.
 *
 * @param {import("node:child_process").ChildProcessWithoutNullStreams} child
 */
export async function ended(child) {
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (output += text));
  const [code] = await once(child, "close");
  return { code, output };
}

/**
 * Returns the URL that a server prints once it takes requests.
 *
 * @param {import("node:child_process").ChildProcessWithoutNullStreams} child
 * @param {RegExp} ready What it has printed by then, with the URL in parentheses.
 */
export async function listening({ spawnargs, stdout, stderr }, ready) {
  let output = "";
  stderr.setEncoding("utf8").on("data", (text) => (output += text));
  for await (const text of stdout.setEncoding("utf8").iterator({ destroyOnReturn: false })) {
    output += text;
    const url = ready.exec(output)?.[1];
    if (url !== undefined) {
      stdout.resume();
      return url;
    }
  }
  throw new Error(`${spawnargs.join(" ")} ended:\n${output}`);
}
