/** Reads a stream to its end; left early, the stream is cancelled. Not every browser that we support can iterate one. */
export async function* chunksOf<T>(stream: ReadableStream<T>): AsyncGenerator<T> {
  const reader = stream.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

/** Unpacks bytes, whatever size they claim; `undefined` where they are more than `maxBytes`. @throws TypeError */
export async function decompress(packed: Blob, format: CompressionFormat, maxBytes: number): Promise<Blob | undefined> {
  const parts: Uint8Array<ArrayBuffer>[] = []
  let size = 0
  for await (const bytes of chunksOf(packed.stream().pipeThrough(new DecompressionStream(format)))) {
    size += bytes.length
    if (size > maxBytes) return undefined
    parts.push(bytes)
  }
  return new Blob(parts)
}
