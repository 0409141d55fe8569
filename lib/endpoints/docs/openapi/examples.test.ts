import sharp from 'sharp'
import { beforeAll, expect, test } from 'vitest'
import { VideoQueueRequest, VideoQuoteRequest } from '@/lib/contract/video.schema'
import { GROUPS } from '@/lib/endpoints/docs/openapi/document'
import { orderVideo, quoteVideo } from '@/lib/endpoints/video/quote'
import { setEnvironment, testCaller, testContext } from '@/lib/services/identity/testing'
import { loadCatalogue, unloadCatalogue } from '@/lib/services/models/catalogue'

const LEAST_PIXELS = 65_536

const operations = new Map(GROUPS.flatMap((group) => Object.entries(group.operations)))

function exampleOf(place: string): Record<string, unknown> {
  const example = operations.get(place)?.body?.json?.example
  if (!example) throw new Error(`${place} has no example`)
  return example as Record<string, unknown>
}

beforeAll(async () => {
  // The models of a server that is started without a models file.
  setEnvironment({ LOG_LEVEL: 'silent', LOCAL_ENGINES: 'off', MODELS_FILE: '', EMBEDDED_MODELS: 'lean' })
  unloadCatalogue()
  await loadCatalogue()
})

test('the examples of films are quoted and ordered by a default server', () => {
  const quote = VideoQuoteRequest.parse(exampleOf('POST /video/quote'))
  expect(quoteVideo(quote, testContext())).toBeGreaterThan(0n)
  const order = VideoQueueRequest.parse(exampleOf('POST /video/queue'))
  expect(orderVideo(order, testCaller(), testContext()).amount).toBeGreaterThan(0n)
})

test.each(['POST /image/edit', 'POST /image/multi-edit', 'POST /image/upscale', 'POST /image/background-remove'])(
  'the picture in the example of %s is large enough',
  async (place) => {
    const { image, images = [image] } = exampleOf(place) as { image?: string; images?: string[] }
    for (const one of images as string[]) {
      const { width, height } = await sharp(Buffer.from(one, 'base64')).metadata()
      expect(width * height).toBeGreaterThanOrEqual(LEAST_PIXELS)
    }
  },
)
