import { chunksOf } from '@/lib/browser/streams'

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
