import { spawnSync } from "node:child_process";

/** Whether a test may mount a small disk: a mount of one's own needs no permission where Linux has user namespaces. */
export const canMount = process.platform === "linux" && spawnSync("unshare", ["-rm", "true"]).status === 0;
