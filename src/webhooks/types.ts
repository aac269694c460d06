/** Options of `new Webhooks({…})`. */
export interface WebhooksOptions {}
