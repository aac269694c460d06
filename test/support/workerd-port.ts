import type { Readable } from "node:stream";

/**
 * Returns the port that workerd has chosen, which it prints as a line of JSON.
 *
 * @param control - The pipe of `--control-fd`.
 */
export async function workerdPort(control: Readable): Promise<number> {
  let text = "";
  for await (const chunk of control) {
    text += chunk;
    const port = /"port":\s*(\d+)/.exec(text)?.[1];
    if (port !== undefined) return Number(port);
  }
  throw new Error("workerd ended before it listened");
}
