import decode from 'heic-decode'

type Size = { width: number; height: number }

/**
 * Decodes the first picture of a HEIC file to RGBA, upright. The library is libheif compiled to WebAssembly: a hostile
 * file reaches only its memory.
 */
export async function decodeHeic(
  bytes: Buffer,
  assertSize: (size: Size) => void,
): Promise<Size & { data: Uint8Array }> {
  const pictures = await decode.all({ buffer: bytes })
  try {
    const first = pictures[0]
    if (!first) throw new Error('no picture')
    assertSize(first)
    const { width, height, data } = await first.decode()
    return { width, height, data: new Uint8Array(data.buffer, data.byteOffset, data.byteLength) }
  } finally {
    pictures.dispose()
  }
}
