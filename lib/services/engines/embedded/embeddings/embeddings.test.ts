import { expect, test } from 'vitest'
import { createEmbeddings } from '@/lib/services/engines/embedded/embeddings/embeddings'

const never = new AbortController().signal

test('a model of the hub that was removed is not replaced by another one', async () => {
  const embeddings = createEmbeddings({ dataDir: '/nowhere' })
  embeddings.setInstalled([{ name: 'harbour', version: '1', modelPath: '/nowhere/model.gguf', neededBytes: 1 }])
  embeddings.setInstalled([])
  expect(() => embeddings.embedParts('harbour', ['text'], never)).toThrow(
    expect.objectContaining({ name: 'EngineError', reason: 'offline' }),
  )
  await embeddings.close()
})
