import type { Scenario } from "../scenario.ts";
import { bodies } from "./bodies.ts";
import { connections } from "./connections.ts";
import { echoes } from "./echoes.ts";
import { http2 } from "./http2.ts";
import { lengths } from "./lengths.ts";
import { statuses } from "./statuses.ts";
import { streams } from "./streams.ts";
import { tls } from "./tls.ts";
import { waiting } from "./waiting.ts";

export const scenarios: readonly Scenario[] = [
  ...connections,
  ...lengths,
  ...bodies,
  ...statuses,
  ...streams,
  ...echoes,
  ...tls,
  ...http2,
  ...waiting,
];
