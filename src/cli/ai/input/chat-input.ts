/** The input of a person or a program. */
export type Entry =
  | { readonly kind: "text"; readonly text: string }
  /** Ctrl-D, or the end of a pipe. */
  | { readonly kind: "end" }
  /** Ctrl-C at an empty prompt. */
  | { readonly kind: "interrupt" };

/** The source of the questions of a chat. */
export interface ChatInput {
  /** Whether somebody sits in front of it, who can ask again after a failure. */
  readonly isInteractive: boolean;
  /** Reads the next question or command. */
  read(): Promise<Entry>;
  /** Runs something that Ctrl-C stops through its signal. */
  during<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result>;
}
