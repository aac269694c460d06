/** Shows the text of a response while it is being written. */
export interface ResponseView {
  write(part: string): void;
  /** Shows what is held back, and ends the last line. */
  end(): void;
}
