import { version } from "../../../version.ts";
import { type Check, failed, ok, warning } from "./check.ts";

type Versions = Readonly<Record<string, string | undefined>>;

/** Checks which runtime runs the package, and settings of it that the service must not meet. */
export function checkRuntime(versions: Versions, environment: Versions): readonly Check[] {
  return [checkVersion(versions), ...checkTlsSetting(environment)];
}

/** Bun and Deno also name a version of Node, the one that they imitate. */
function checkVersion(versions: Versions): Check {
  const { bun, deno, node = "" } = versions;
  const runtime = bun ? `Bun ${bun}` : deno ? `Deno ${deno}` : `Node ${node}`;
  const detail = `${runtime}, serviceapi ${version}`;
  const [major = 0, minor = 0] = node.split(".").map(Number);
  const isOld = !bun && !deno && (major < 22 || (major === 22 && minor < 12));
  return isOld
    ? failed("runtime", `${detail}: Node is too old`, "Install Node 22.12 or later.")
    : ok("runtime", detail);
}

function checkTlsSetting({ NODE_TLS_REJECT_UNAUTHORIZED }: Versions): readonly Check[] {
  if (NODE_TLS_REJECT_UNAUTHORIZED !== "0") return [];
  return [
    warning(
      "certificate checks",
      "NODE_TLS_REJECT_UNAUTHORIZED=0 disables them: anyone on the way can read the client secret",
      "Unset it. For a private authority set NODE_EXTRA_CA_CERTS to the file of its certificate.",
    ),
  ];
}
