/** An error answer of the server. */
export class AnswerError extends Error {
  override readonly name = 'AnswerError';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}
