/**
 * A long life, by name only: a stream of 1 GB, and 100,000 requests of one client, 64 at once. Each in a separate
 * process; what counts is the memory in use, heap and buffers, after garbage collection, that was not in use after the
 * first tenth.
 */
import { ServiceApi } from "serviceapi";
import { type Figure, plainFigure, repeat } from "../measure.ts";
import { bytesInUse } from "../usage.ts";
import { growth } from "./memory.ts";

const calls = 100_000;
const atOnce = 64;

export async function run(base: string): Promise<Figure[]> {
  const requests = plainFigure("100,000 requests", "serviceapi", await growthOverRequests(`${base}/small`), "MB");
  return [...(await growth(base, "1 GB streamed", 1_000_000_000)), requests];
}

async function growthOverRequests(baseUrl: string): Promise<number> {
  const api = new ServiceApi({ baseUrl, clientId: "bench", clientSecret: "bench-secret" });
  let start = 0;
  for (let tenth = 0; tenth < 10; tenth += 1) {
    await repeat(calls / 10, atOnce, async () => {
      const { count } = await api.verification.findVpas({ vpa_mobile: "6000000001", consent: "Y" });
      if (count !== 3) throw new Error("not the response");
    });
    if (tenth === 0) start = await bytesInUse();
  }
  return ((await bytesInUse()) - start) / 1_048_576;
}
