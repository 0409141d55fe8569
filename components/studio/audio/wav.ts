/** Speech without a header: samples of 16 bits, little-endian, one channel. Source: docs/audio.md. */
export const PCM_RATE = 24_000
const SAMPLE_BYTES = 2
const HEAD_BYTES = 44
// Before the samples: fmt, fact, LIST.
const MAX_CHUNKS = 16

/** Finds where the samples of a WAV file begin and how many there are a second; undefined for another file. */
export function wavFormat(head: Uint8Array): { rate: number; start: number } | undefined {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength)
  if (head.length < HEAD_BYTES || view.getUint32(0) !== 0x52494646 || view.getUint32(8) !== 0x57415645) return undefined
  let rate = PCM_RATE
  let at = 12
  for (let chunk = 0; chunk < MAX_CHUNKS && at + 8 <= head.length; chunk++) {
    const name = view.getUint32(at)
    const size = view.getUint32(at + 4, true)
    if (name === 0x64617461) return { rate, start: at + 8 }
    // Of other samples than whole numbers of 16 bits in one channel only a decoder makes sense.
    if (name === 0x666d7420) {
      const isPlain = view.getUint16(at + 8, true) === 1 && view.getUint16(at + 10, true) === 1
      if (!isPlain || view.getUint16(at + 22, true) !== SAMPLE_BYTES * 8) return undefined
      rate = view.getUint32(at + 12, true)
    }
    at += 8 + size + (size % 2)
  }
  return undefined
}

/**
 * Writes the length into a WAV file that was sent while it was made: players could not seek without. Other files stay
 * as they are.
 */
export async function closeWav(file: Blob): Promise<Blob> {
  const head = new Uint8Array(await file.slice(0, 4_096).arrayBuffer())
  const start = wavFormat(head)?.start
  if (start === undefined) return file
  const view = new DataView(head.buffer)
  view.setUint32(4, file.size - 8, true)
  view.setUint32(start - 4, file.size - start, true)
  return new Blob([head.subarray(0, start), file.slice(start)], { type: file.type })
}

export function wavOfPcm(pcm: Blob, rate = PCM_RATE): Blob {
  const view = new DataView(new ArrayBuffer(HEAD_BYTES))
  const words: [at: number, word: string][] = [
    [0, 'RIFF'],
    [8, 'WAVE'],
    [12, 'fmt '],
    [36, 'data'],
  ]
  for (const [at, word] of words) for (let i = 0; i < 4; i++) view.setUint8(at + i, word.charCodeAt(i))
  view.setUint32(4, HEAD_BYTES - 8 + pcm.size, true)
  view.setUint32(16, 16, true)
  view.setUint16(20, 1, true)
  view.setUint16(22, 1, true)
  view.setUint32(24, rate, true)
  view.setUint32(28, rate * SAMPLE_BYTES, true)
  view.setUint16(32, SAMPLE_BYTES, true)
  view.setUint16(34, SAMPLE_BYTES * 8, true)
  view.setUint32(40, pcm.size, true)
  return new Blob([view, pcm], { type: 'audio/wav' })
}
