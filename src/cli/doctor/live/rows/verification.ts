import { field } from "../../../../shared/json.ts";
import { type Assumption, broken, isOf, kept } from "../assumption.ts";
import { refusalOf } from "../failures.ts";
import { wordOf } from "../shape.ts";

/** Rows V: verification. */
export const verificationRows: readonly Assumption[] = [
  {
    id: "V2",
    aspect: "clientId",
    assume: "`clientData.client_id` is the client ID of the credentials",
    options: [],
    remedy: "pass the `clientData` of the call",
    observe(call) {
      const echoed = isOf("verification", call) ? field(call.body?.clientData, "client_id") : undefined;
      if (typeof echoed !== "string") return undefined;
      return echoed === call.exchange?.clientId ? kept("echoed as sent") : broken("another one is echoed");
    },
  },
  {
    id: "V3",
    aspect: "mobile",
    assume: "a mobile number is sent as ten digits, without +91",
    options: ["validation.mobile"],
    remedy: '`validation.mobile: "asGiven"` sends the form that the service accepts',
    observe({ name, error, envelope }) {
      if (name !== "verify") return undefined;
      const kind = refusalOf(error)?.kind;
      if (kind === "invalid" && /mobile|number|format/i.test(envelope.serviceMessage ?? ""))
        return broken("refused: the number");
      return error === undefined || kind === "not_found" ? kept("accepted") : undefined;
    },
  },
  {
    id: "V4",
    aspect: "accountStatus",
    assume: "an account that can be paid has the `accountStatus` VALID",
    options: [],
    remedy: "decide by `accountStatus` of the result yourself, in place of `isUsable`",
    observe({ name, body, error }) {
      const status = body?.accountStatus;
      if (name !== "verify" || error !== undefined || status === undefined) return undefined;
      return status === "VALID" ? kept("VALID") : broken(wordOf(status));
    },
  },
  {
    id: "V5",
    aspect: "pending",
    assume: "a pending verification has no VPA",
    options: ["classifyError"],
    remedy: "read the VPA from `body` of the RequestInProgressError; `classifyError` gives it another kind",
    observe(call) {
      if (!isOf("verification", call) || call.envelope.verdict !== "pending") return undefined;
      return call.body?.vpa || call.body?.vpaList ? broken("pending with a VPA") : kept("pending without a VPA");
    },
  },
];
