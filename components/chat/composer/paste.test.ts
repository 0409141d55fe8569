import { expect, test } from 'vitest'
import { pastedIn } from '@/components/chat/composer/field'
import { fileOfPaste } from '@/components/chat/composer/intake'

const data = (text: string, files: File[] = []) => ({
  getData: () => text,
  files: Object.assign(files, { item: (at: number) => files[at] ?? null }) as unknown as FileList,
})

test('a paste is files, a long text, or simply words', () => {
  const image = new File(['x'], 'image.png', { type: 'image/png' })
  expect(pastedIn(data('', [image]))).toEqual({ kind: 'files', files: [image] })
  expect(pastedIn(data('x'.repeat(4_000)))).toBeUndefined()
  expect(pastedIn(data('x'.repeat(4_001)))).toEqual({ kind: 'long-text', text: 'x'.repeat(4_001) })
  // Office programs give a picture of the words along.
  expect(pastedIn(data('words', [image]))).toBeUndefined()
})

test('a long paste becomes a text file with all of it', async () => {
  const file = fileOfPaste('tide '.repeat(1_000), new Date(2026, 10, 20, 9, 5, 7))
  expect(file.name).toBe('pasted-090507.txt')
  expect(await file.text()).toBe('tide '.repeat(1_000))
})
