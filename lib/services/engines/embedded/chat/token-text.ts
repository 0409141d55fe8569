/** Turns tokens to text; what came before decides about spaces. */
type Detokenize = (tokens: number[], before: number[]) => string

/** Tokens that carry one character between them: four bytes of UTF-8, and some slack for odd vocabularies. */
const LONGEST_CHARACTER_TOKENS = 8
const CONTEXT_TOKENS = 8

/** Text of a stream of tokens, given out in whole characters: small vocabularies split one over several tokens. */
export class TokenText {
  readonly #detokenize: Detokenize
  #pending: number[] = []
  #before: number[] = []

  constructor(detokenize: Detokenize) {
    this.#detokenize = detokenize
  }

  push(token: number): string {
    this.#pending.push(token)
    const text = this.#detokenize(this.#pending, this.#before)
    if (text.endsWith('\uFFFD') && this.#pending.length < LONGEST_CHARACTER_TOKENS) return ''
    this.#settle()
    return text
  }

  /** What is left at the end. A character that was cut off is left out. */
  flush(): string {
    const text = this.#pending.length === 0 ? '' : this.#detokenize(this.#pending, this.#before)
    this.#settle()
    return text.replace(/\uFFFD+$/, '')
  }

  #settle(): void {
    this.#before = [...this.#before, ...this.#pending].slice(-CONTEXT_TOKENS)
    this.#pending = []
  }
}
