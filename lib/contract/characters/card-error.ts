/** A file that is no character card we can read. `message` is safe to show and repeats nothing of the file. */
export class CardError extends Error {
  override name = 'CardError'
  readonly reason: 'unsupported' | 'corrupt' | 'no-card' | 'too-large'

  constructor(reason: CardError['reason'], message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.reason = reason
  }
}
