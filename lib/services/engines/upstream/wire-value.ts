/** An object as an upstream sent it: any field may be missing or of another type than documented. */
export type WireObject = Record<string, unknown>

export const isWireObject = (value: unknown): value is WireObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const textOrUndefined = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

/** Makes untrusted text one line: controls, invisible marks and runs of blanks become one blank, the end is cut. */
export function cleanText(text: string, maxCharacters: number): string {
  // Four times what is kept is looked at: what is taken out may stand at the beginning.
  const plain = text
    .slice(0, maxCharacters * 4)
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim()
  return plain.slice(0, maxCharacters).toWellFormed()
}

/** Reads a body whole. @throws the error of `tooLong`, with the body given up, when it has more bytes. */
export async function readUpTo(
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  maxBytes: number,
  tooLong: () => Error,
): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body) {
    length += chunk.length
    if (length > maxBytes) throw tooLong()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
