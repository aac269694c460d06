/** A string that is one of the listed values today and may be another tomorrow. */
type Open<Known extends string> = Known | (string & {});

/** The parameters of `findVpas` (§4.1). */
export interface FindVpasParams {
  /**
   * The mobile number to look up: ten digits from 6 to 9. `+91`, `0091`, a leading `0`, spaces, dashes, dots and
   * parentheses are stripped
   * (option `mobile: "asGiven"` sends it untouched).
   */
  readonly vpa_mobile: string;
  /** The account holder's consent, given explicitly. It is never filled in for you. */
  readonly consent: "Y";
  /** Client reference data. Filled in with the credential's client id if it is left out. */
  readonly clientData?:
    | {
        /** Unique client identifier; echoed in the response (§2.1). */
        readonly client_id: string;
      }
    | undefined;
}

/** The VPAs linked to a mobile number (§2.2). */
export interface VpaResult {
  /** `success` on success. */
  readonly status: Open<"success">;
  /** `101` on success. */
  readonly statusCode: Open<"101">;
  /** Unique transaction identifier. */
  readonly partner_id: string;
  /** Name of the account holder tied to the mobile number. May be empty. */
  readonly name: string;
  /** Primary VPA, `<mobile>@<handle>`. */
  readonly vpa: string;
  /** All VPAs linked to the mobile number. */
  readonly vpaList: readonly string[];
  /** Number of VPAs found. */
  readonly count: number;
  /** Status description. */
  readonly description: string;
  /** Account validation status. `VALID` is the value shown; others are not enumerated. */
  readonly accountStatus: Open<"VALID">;
  /** Echo of the client data (§2.1). */
  readonly clientData: {
    /** Unique client identifier, as sent. */
    readonly client_id: string;
    /** The mobile number that was looked up. */
    readonly mobile: string;
  };
  /** Success message. */
  readonly message: string;
}
