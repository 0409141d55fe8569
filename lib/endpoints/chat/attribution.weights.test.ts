import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { attribute } from '@/lib/endpoints/chat/citations'
import { createEmbeddings } from '@/lib/services/engines/embedded/embeddings/embeddings'
import type { Passage } from '@/lib/services/web/passages'

const DOWNLOAD_MS = 300_000
const engine = createEmbeddings({ dataDir: path.resolve('.cache') })
const open = new AbortController().signal

beforeAll(() => engine.embed(['warm up'], open), DOWNLOAD_MS)
afterAll(() => engine.close())

const SOURCES = [
  'The harbour bridge opened in 1932 after eight years of work. It carries trains, cars and people on foot. Painting it never ends.',
  'The city’s ferries leave every ten minutes from the main quay. A ticket costs four dollars and is valid for one hour.',
  'Sharks are rarely seen in the inner harbour. The aquarium keeps three grey nurse sharks that visitors may dive with.',
]
const passages: Passage[] = SOURCES.map((text, source) => ({ source, position: 0, text }))
const attributed = (answer: string) => attribute(answer, passages, open, { engine })

test.each([
  ['A ferry departs from the main quay every ten minutes.', [1]],
  ['The bridge over the harbour was opened in 1932. Tickets for the ferry cost four dollars.', [0, 1]],
  ['You can dive with grey nurse sharks at the aquarium.', [2]],
])('an answer is traced to what it follows: %s', async (answer, expected) => {
  expect(await attributed(answer)).toEqual(expected)
})

test.each([
  'I am sorry, the sources do not answer the question.',
  'Rabbits dig burrows in which they raise their young ones.',
  'Sydney is a large city on the coast of Australia.',
  'Yes.',
])('an answer that follows no source is traced to none: %s', async (answer) => {
  expect(await attributed(answer)).toEqual([])
})
