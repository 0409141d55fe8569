import 'fake-indexeddb/auto'
import { expect, test } from 'vitest'
import { assertSize, readImage } from '@/components/studio/image/draft'
import { MAX_FILE_BYTES } from '@/lib/contract/limits'

const refusal = (file: File) =>
  readImage(file).then(
    () => 'taken',
    (error: Error) => error.message,
  )

test('a file is what its content is, whatever it is called', async () => {
  expect(await refusal(new File(['just words'], 'photo.png', { type: 'image/png' }))).toMatch(
    /“photo.png” is not a supported image/,
  )
  expect(await refusal(new File(['%PDF-1.7 …'], 'photo.jpg', { type: 'image/jpeg' }))).toMatch(
    /is not a supported image/,
  )
  expect(await refusal(new File([], 'photo.png', { type: 'image/png' }))).toBe('This file is empty.')
})

test('what the service would refuse for its size is refused here', async () => {
  expect(await refusal(new File([new Uint8Array(MAX_FILE_BYTES + 1)], 'large.png'))).toBe(
    'This image is too large. The limit is 25 MB.',
  )
  expect(() => assertSize({ width: 255, height: 256 })).toThrow(/255 × 256 pixels/)
  expect(() => assertSize({ width: 256, height: 256 })).not.toThrow()
  expect(() => assertSize({ width: 6_000, height: 6_000 })).toThrow(/The limit is 33 million pixels/)
})
