import type { AreaName } from "../../area.ts";
import type { ApiErrorKind } from "../../errors/base.ts";

/** The form of an area's responses (§1). */
interface Style {
  /** The envelope of a success. */
  readonly success: object;
  /** Returns the body of a refusal. Verification echoes the header `client-id` (§7.1). */
  readonly failure: (code: number, message: string, clientId: string) => object;
  /** Form of the refusal of a body that breaks rules: one sentence, or a list for each field. */
  readonly brokenRules: "sentence" | "fields";
  /** The messages that differ from those of the other areas. */
  readonly messages: Readonly<Partial<Record<ApiErrorKind, string>>>;
}

/** Lower case and `statusCode`. */
const lowerCase: Style = {
  success: { status: "success", statusCode: "101", message: "" },
  failure: (code, message, clientId) => ({
    status: "failed",
    statusCode: `${code}`,
    message,
    clientData: { client_id: clientId },
  }),
  brokenRules: "sentence",
  // The two that §7.1 shows.
  messages: { not_found: "No UPI ID found linked to the mobile number", invalid: "Invalid mobile number format" },
};

/** Upper case and `status_code`. */
const upperCase: Style = {
  success: { status: "SUCCESS", status_code: "200", message: "" },
  failure,
  brokenRules: "fields",
  messages: {},
};

/** Returns the style of an area: that of verification, or that of all others. */
export function styleOf(area: AreaName): Style {
  return area === "verification" ? lowerCase : upperCase;
}

/** Returns the body of a refusal in upper case. */
export function failure(code: number, message: string): object {
  return { status: "FAILED", status_code: `${code}`, message };
}
