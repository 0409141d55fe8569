import sharp from 'sharp'
import { writeWav } from '@/lib/services/media/wav'

export const dataUrl = (mime: string, bytes: Uint8Array | string): string =>
  `data:${mime};base64,${Buffer.from(bytes).toString('base64')}`

/** A picture of one colour, as PNG. */
export const square = (side = 80, background = '#b5121b'): Promise<Buffer> =>
  sharp({ create: { width: side, height: side, channels: 3, background } })
    .png()
    .toBuffer()

export const image = async (side = 80, background?: string) =>
  imageAt(dataUrl('image/png', await square(side, background)))

export const imageAt = (url: string) => ({ type: 'image_url', image_url: { url } })
export const text = (said: string) => ({ type: 'text', text: said })
export const document = (mime: string, bytes: Uint8Array | string, filename?: string) => ({
  type: 'file',
  file: { file_data: dataUrl(mime, bytes), filename },
})
export const audio = (bytes: Uint8Array, format?: string) => ({
  type: 'input_audio',
  input_audio: { data: Buffer.from(bytes).toString('base64'), format },
})

/** A second of a tone at 44.1 kHz. */
export function tone(): Uint8Array {
  const samples = Float32Array.from({ length: 44_100 }, (_, at) => Math.sin(at / 16) / 2)
  return writeWav(samples, 44_100)
}
