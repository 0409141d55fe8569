import { EngineError } from '@/lib/services/engines/engine'

/** Enough of a file to see what it is. */
const HEAD_BYTES = 4_096

/**
 * The same bytes, once their beginning is what it should be: a provider may answer an error's page, or nothing.
 *
 * @throws EngineError `failed` when `typeOf` knows no type for them.
 */
export async function sniffed(
  bytes: AsyncIterable<Uint8Array>,
  typeOf: (head: Uint8Array) => string | undefined,
): Promise<{ type: string; bytes: AsyncIterable<Uint8Array> }> {
  const pieces = bytes[Symbol.asyncIterator]()
  const first: Uint8Array[] = []
  let length = 0
  while (length < HEAD_BYTES) {
    const next = await pieces.next()
    if (next.done) break
    first.push(next.value)
    length += next.value.length
  }
  const head = Buffer.concat(first)
  const type = length === 0 ? undefined : typeOf(head)
  if (type === undefined) {
    await pieces.return?.()
    throw new EngineError('failed', 'The model sent a file that is not what was asked for.')
  }
  return { type, bytes: joined(head, pieces) }
}

async function* joined(head: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield head
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value
  } finally {
    await rest.return?.()
  }
}
