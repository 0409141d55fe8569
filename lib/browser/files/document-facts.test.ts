import { strToU8, zipSync } from 'fflate'
import { expect, test } from 'vitest'
import { factsOfDocument } from '@/lib/browser/files/document-facts'
import { pdf } from '@/lib/services/documents/testing/documents'

const LINES = Array.from({ length: 40 }, () => 'The tide comes in and goes out again.')

test('a PDF has pages, and words on them', async () => {
  const facts = await factsOfDocument(Uint8Array.from(await pdf([LINES, LINES, ['']])), 'application/pdf')
  expect(facts.pages).toBe(3)
  expect(facts.tokens).toBeGreaterThan(500)
})

test('an office file is counted by its words, not by its markup', async () => {
  const xml = `<w:document>${'<w:r><w:t xml:space="preserve">abcd</w:t></w:r>'.repeat(400)}</w:document>`
  const file = zipSync({ 'word/document.xml': strToU8(xml), 'word/styles.xml': strToU8('x'.repeat(100_000)) })
  const type = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
  const { tokens } = await factsOfDocument(Uint8Array.from(file), type)
  expect(tokens).toBeGreaterThan(400)
  expect(tokens).toBeLessThan(700)
})

test('text is counted as it is, other scripts dearer', async () => {
  const of = async (text: string) => (await factsOfDocument(Uint8Array.from(strToU8(text)), 'text/plain')).tokens
  expect(await of('abcd'.repeat(100))).toBe(100)
  expect(await of('潮'.repeat(100))).toBe(100)
})

test('a broken archive says so to whoever asked', async () => {
  await expect(
    factsOfDocument(Uint8Array.from(strToU8('PK\x03\x04 nothing')), 'application/epub+zip'),
  ).rejects.toThrow()
})
