import { afterEach, expect, test, vi } from 'vitest'
import { sendSpeech, sendTranscription, sendVideoTranscription } from '@/components/studio/audio/send'
import { wavOfPcm } from '@/components/studio/audio/wav'
import { newGeneration } from '@/components/studio/store'
import type { Generation } from '@/lib/browser/storage/generations'

const HEADERS = { 'x-service-request-name': 'speech-1' }
const SPOKEN = await wavOfPcm(new Blob([new Uint8Array(48_000)])).arrayBuffer()

const generation = (fields: Partial<Generation>): Generation => ({
  ...newGeneration({
    kind: 'audio',
    task: 'speech',
    modelId: 'm',
    modelName: 'M',
    prompt: '',
    settings: {},
    inputs: [],
  }),
  ...fields,
})
const options = (signal = new AbortController().signal) => ({ signal, headers: HEADERS })
const speak = (signal?: AbortSignal) =>
  sendSpeech(generation({ prompt: 'The library closes early.', settings: { format: 'wav' } }), [], options(signal))

afterEach(() => void vi.unstubAllGlobals())

/** The service, answering with pieces; `then` is what comes after them. */
function serve(pieces: Uint8Array[], then: (controller: ReadableStreamDefaultController) => void): RequestInit[] {
  const seen: RequestInit[] = []
  vi.stubGlobal('fetch', async (_: string, init: RequestInit) => {
    seen.push(init)
    const body = new ReadableStream({
      start(controller) {
        for (const piece of pieces) controller.enqueue(piece)
        then(controller)
      },
    })
    return new Response(body, { headers: { 'content-type': 'audio/wav' } })
  })
  return seen
}

const halves = [new Uint8Array(SPOKEN.slice(0, 20_000)), new Uint8Array(SPOKEN.slice(20_000))]

test('speech that came whole is one file, with its length, under the name of the request', async () => {
  const seen = serve(halves, (controller) => controller.close())
  const { files, isCut } = await speak()
  expect(files[0]).toMatchObject({ name: 'The library closes early.', durationMs: 1_000 })
  expect(new Uint8Array(await files[0]!.data.arrayBuffer())).toEqual(new Uint8Array(SPOKEN))
  expect([isCut, seen[0]?.headers]).toEqual([undefined, expect.objectContaining(HEADERS)])
})

test('what came before a stream broke off, or was stopped, is kept: it is paid for', async () => {
  serve(halves.slice(0, 1), (controller) => setTimeout(() => controller.error(new TypeError('network')), 5))
  expect(await speak()).toMatchObject({ isCut: true, files: [{ data: { size: 20_000 } }] })
  serve([], (controller) => setTimeout(() => controller.error(new TypeError('network')), 5))
  await expect(speak()).rejects.toThrow('network')
})

test('a transcript is its words, and a file with its times', async () => {
  vi.stubGlobal('fetch', async () => Response.json({ text: ' Hello. ', duration: 1, timestamps: { segment: [] } }))
  const { files, text } = await sendTranscription(generation({}), [new Blob(['x'], { type: 'audio/wav' })], options())
  expect([text, files[0]?.data.type]).toEqual(['Hello.', 'application/json;charset=utf-8'])
  expect(JSON.parse(await files[0]!.data.text())).toEqual({ text: 'Hello.', seconds: 1, segments: [] })
  vi.stubGlobal('fetch', async () =>
    Response.json({ error: 'silent', code: 'ASR_UPSTREAM_VALIDATION_FAILED' }, { status: 422 }),
  )
  await expect(sendTranscription(generation({}), [new Blob()], options())).rejects.toMatchObject({ status: 422 })
})

test('a film of the web is asked for by its address', async () => {
  const sent: unknown[] = []
  vi.stubGlobal('fetch', async (_: string, { body }: RequestInit) => {
    sent.push(JSON.parse(String(body)))
    return Response.json({ transcript: 'Welcome back.', lang: 'en' })
  })
  const made = await sendVideoTranscription(generation({ prompt: 'https://films.example/tides' }), [], options())
  expect(made).toEqual({ files: [], text: 'Welcome back.' })
  expect(sent).toEqual([{ url: 'https://films.example/tides', response_format: 'json' }])
})
