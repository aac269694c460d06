import type { Context } from "./context.ts";

/** The runtime's `fetch` without the library: the traps that the other scenarios must not fall into. */
export async function runPlainFetch(context: Context): Promise<void> {
  for (const scenario of ["keepThenReset", "keepThenClose"]) {
    await post(context.address(`plain.${scenario}`, scenario));
    await post(context.address(`plain.${scenario}`, scenario));
  }
  await post(context.address("plain.421", "status:421"));
}

/** The end differs by runtime and does not matter here: the service counts. */
async function post(address: string): Promise<void> {
  try {
    const response = await fetch(`${address}/flight/book`, { method: "POST", body: "{}" });
    await response.arrayBuffer();
  } catch {
    // A connection that was lost.
  }
}
