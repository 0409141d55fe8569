import { expect, test } from 'vitest'
import { byteStream, Chunks } from '@/lib/pipeline/reply'

const chunk = (text: string) => new TextEncoder().encode(text)

async function* three() {
  yield chunk('a')
  yield chunk('b')
  yield chunk('c')
}

function watched(source: AsyncIterable<Uint8Array>) {
  const ends: string[] = []
  const chunks = new Chunks(source, (end) => ends.push(end))
  return { ends, chunks, stream: byteStream(chunks) }
}

test('a stream that is read to its end is done once', async () => {
  const { ends, stream } = watched(three())
  expect(await new Response(stream).text()).toBe('abc')
  expect(ends).toEqual(['finished'])
})

test('a reader that never reads is told as one that left', async () => {
  const { ends, stream } = watched(three())
  await stream.cancel()
  expect(ends).toEqual(['left'])
})

test('a reader that leaves in the middle ends the source', async () => {
  let isClosed = false
  const { ends, stream } = watched(
    (async function* () {
      try {
        while (true) yield chunk('x')
      } finally {
        isClosed = true
      }
    })(),
  )
  const reader = stream.getReader()
  await reader.read()
  await reader.cancel()
  expect(ends).toEqual(['left'])
  expect(isClosed).toBe(true)
})

test('a source that breaks is told as failed, and the reader hears it', async () => {
  const { ends, stream } = watched(
    // biome-ignore lint/correctness/useYield: a source that breaks before its first chunk
    (async function* (): AsyncGenerator<Uint8Array> {
      throw new Error('broken')
    })(),
  )
  await expect(new Response(stream).text()).rejects.toThrow('broken')
  expect(ends).toEqual(['failed'])
})

test('nothing is made before somebody reads, and one chunk at a time after', async () => {
  let made = 0
  const { stream } = watched(
    (async function* () {
      while (true) {
        made++
        yield chunk('x')
      }
    })(),
  )
  await new Promise((resolve) => setTimeout(resolve, 10))
  expect(made).toBe(0)
  await stream.getReader().read()
  await new Promise((resolve) => setTimeout(resolve, 10))
  expect(made).toBe(1)
})
