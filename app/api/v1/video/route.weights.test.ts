import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import sharp from 'sharp'
import { afterAll, expect, test } from 'vitest'
import { POST as queueAudio } from '@/app/api/v1/audio/queue/route'
import { POST as retrieveAudio } from '@/app/api/v1/audio/retrieve/route'
import { POST as queueVideo } from '@/app/api/v1/video/queue/route'
import { POST as retrieveVideo } from '@/app/api/v1/video/retrieve/route'
import { testDatabase } from '@/lib/db/testing'
import { audioHandler } from '@/lib/endpoints/audio/music'
import { videoHandler } from '@/lib/endpoints/video/job'
import { perProcess } from '@/lib/kernel/per-process'
import { closeProcessPools } from '@/lib/kernel/process-pool/pool'
import { closeEngines, listeningEngine } from '@/lib/services/engines/registry'
import { createKey } from '@/lib/services/identity/api-keys'
import { createFileStore } from '@/lib/services/jobs/media-store'
import { endOf } from '@/lib/services/jobs/testing'
import { startWorker } from '@/lib/services/jobs/worker'
import { makeAccount } from '@/lib/services/ledger/testing'
import { decodeAudio, readVideo } from '@/lib/services/media/recording'
import { loadCatalogue } from '@/lib/services/models/catalogue'

const SAID = 'The harbour opens at noon.'

// The weights are where the other tests with weights have them; what is made here is nobody else's.
const folder = await mkdtemp(path.join(tmpdir(), 'jobs-weights-'))
const settings = { EMBEDDED_MODELS: 'lean', NODE_ENV: 'test', LOCAL_ENGINES: 'off', DATA_DIR: path.resolve('.cache') }
Object.assign(process.env, settings)
const database = await testDatabase()
await loadCatalogue()
const worker = startWorker({
  database,
  store: perProcess('job-media', () => createFileStore(path.join(folder, 'job-media'))),
  handlers: { music: audioHandler(), video: videoHandler() },
})
const { secret } = await createKey({
  accountId: await makeAccount(database, { USD: 1_000_000_000n }),
  type: 'INFERENCE',
  description: 'test',
})
afterAll(async () => {
  await worker.stop()
  await closeEngines()
  await closeProcessPools()
  await rm(folder, { recursive: true })
})

async function ask(POST: typeof queueAudio, where: string, body: object): Promise<Response> {
  const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' }
  const request = new Request(`http://localhost:3000/api/v1/${where}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  })
  return POST(request, { params: Promise.resolve({}) })
}

async function made(area: 'audio' | 'video', order: object): Promise<{ bytes: Uint8Array; type: string | null }> {
  const [queue, retrieve] = area === 'audio' ? [queueAudio, retrieveAudio] : [queueVideo, retrieveVideo]
  const response = await ask(queue, `${area}/queue`, order)
  const body = await response.json()
  expect([response.status, body]).toEqual([200, expect.objectContaining({ queue_id: expect.any(String) })])
  expect(await endOf(database, body.queue_id)).toMatchObject({ state: 'done' })
  const media = await ask(retrieve, `${area}/retrieve`, { queue_id: body.queue_id })
  return { bytes: new Uint8Array(await media.arrayBuffer()), type: media.headers.get('content-type') }
}

const heard = async (samples: Float32Array) =>
  (
    await listeningEngine()!.transcribe({ model: 'moonshine-tiny', sound: samples }, AbortSignal.timeout(30_000))
  ).text.toLowerCase()

test('a long text is read aloud, and what is heard is what was written', async () => {
  const { bytes, type } = await made('audio', { model: 'kokoro-82m-long', prompt: SAID })
  expect(type).toBe('audio/mpeg')
  const { samples } = await decodeAudio(bytes, 'mp3', { signal: AbortSignal.timeout(30_000) })
  expect(await heard(samples)).toContain('noon')
})

test('a film of a picture shows the picture, says the words and has them as captions', async () => {
  const image = await sharp({ create: { width: 320, height: 200, channels: 3, background: '#00ff00' } })
    .png()
    .toBuffer()
  const { bytes, type } = await made('video', {
    model: 'picture-film',
    prompt: SAID,
    image_url: `data:image/png;base64,${image.toString('base64')}`,
    duration: 'Auto',
    aspect_ratio: '16:9',
    resolution: '480p',
  })
  expect(type).toBe('video/mp4')
  const video = await readVideo(bytes, { frames: 1, hasSound: true, signal: AbortSignal.timeout(30_000) })
  const { channels } = await sharp(video.frames[0]!.image.bytes).stats()
  expect(channels.map(({ mean }) => Math.round(mean / 64))).toEqual([0, 4, 0])
  expect(await heard(video.sound!.samples)).toContain('noon')
  expect(Buffer.from(bytes).toString('latin1')).toContain(SAID)
})
