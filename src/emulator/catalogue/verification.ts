import failed400InvalidMobile from "../samples/verification/failed-400-invalid-mobile.json" with { type: "json" };
import failed404NotFound from "../samples/verification/failed-404-not-found.json" with { type: "json" };
import failedAuthUppercaseStyle from "../samples/verification/failed-auth-uppercase-style.json" with { type: "json" };
import failedIpNotAllowed from "../samples/verification/failed-ip-not-allowed.json" with { type: "json" };
import failedMissingConsent from "../samples/verification/failed-missing-consent.json" with { type: "json" };
import failedPending from "../samples/verification/failed-pending.json" with { type: "json" };
import failedRateLimited from "../samples/verification/failed-rate-limited.json" with { type: "json" };
import successInconsistent from "../samples/verification/success-inconsistent.json" with { type: "json" };
import successMultiple from "../samples/verification/success-multiple.json" with { type: "json" };
import successNumberStatusCode from "../samples/verification/success-number-status-code.json" with { type: "json" };
import successSingle from "../samples/verification/success-single.json" with { type: "json" };
import successUnknownAccountStatus from "../samples/verification/success-unknown-account-status.json" with {
  type: "json",
};
import { catalogue } from "./sample.ts";
import type { VerificationSampleName } from "./scenario-names.ts";

/** Responses of the VPA look-up by name. The HTTP status of a failure is an assumption: §7.1 shows only the body. */
export const verificationSamples = catalogue<VerificationSampleName>({
  "failed-400-invalid-mobile": [400, failed400InvalidMobile],
  "failed-404-not-found": [404, failed404NotFound],
  "failed-auth-uppercase-style": [401, failedAuthUppercaseStyle],
  "failed-ip-not-allowed": [403, failedIpNotAllowed],
  "failed-missing-consent": [400, failedMissingConsent],
  "failed-pending": [200, failedPending],
  "failed-rate-limited": [429, failedRateLimited],
  "success-inconsistent": [200, successInconsistent],
  "success-multiple": [200, successMultiple],
  "success-number-status-code": [200, successNumberStatusCode],
  "success-single": [200, successSingle],
  "success-unknown-account-status": [200, successUnknownAccountStatus],
});
