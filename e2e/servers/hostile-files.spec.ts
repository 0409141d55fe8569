import { randomBytes } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { alive, descendantsOf, environmentOf, hasBegun, watchMemory } from '@/bench/process-watch'
import { type HostileFile, hostileFiles } from '@/e2e/servers/hostile-files'
import { type HostileSite, startHostileSite } from '@/e2e/servers/hostile-site'
import { type Answer, ask, balanceOf, nanoOf } from '@/e2e/testing/ask'
import { ABLE } from '@/e2e/testing/contract-models'
import { openStage, type Stage } from '@/e2e/testing/contract-stage'
import { expect, test } from '@/e2e/testing/contract-test'
import { UPSTREAM_SECRET } from '@/e2e/testing/contract-upstream'
import { dataUrl, textPicture } from '@/e2e/testing/local-site'
import { mapLimited } from '@/lib/kernel/semaphore'
import { onePagePdf, packed } from '@/lib/services/documents/testing/bombs'
import { makeWithFfmpeg } from '@/lib/services/media/testing'

const AT_ONCE = 8
const MB = 1_000_000
/** A document may take 20 s and a film a minute; none of these should come near. */
const MAX_ANSWER_MS = 30_000
const MAX_ORDINARY_MS = 10_000
/** What the server may grow by: the bodies and what is decoded, eight at a time; and at most what may be in hand. */
const MAX_GROWTH = 700 * MB
const MAX_GROWTH_IN_HAND = 1_400 * MB
/** What a child may take, and what it can add between two looks of its guard. */
const MAX_CHILD = 1_100 * MB

let site: HostileSite
let stage: Stage
let files: HostileFile[]
let temporary: string[]

test.beforeAll(async () => {
  test.setTimeout(120_000)
  temporary = await readdir(tmpdir())
  site = await startHostileSite()
  files = await hostileFiles(site.origin)
  const limits = { failedRequests: { count: 1_000 } }
  const variables = { EGRESS_ALLOW_ORIGINS: site.origin, LOG_LEVEL: 'info' }
  stage = await openStage(limits, variables, [ABLE])
})
test.afterAll(async () => {
  await stage?.stop()
  await site?.close()
})

const say = (content: unknown, more: object = {}) => ({ model: 'able', messages: [{ role: 'user', content }], ...more })
/** Whether a model was told that it could not be read. */
const isNoted = ({ name }: HostileFile) =>
  stage.upstream.bodies.some(({ messages }) => textOf(messages).includes(`[File "${name}" could not be read`))
const textOf = (messages: unknown) =>
  (messages as { content: unknown }[]).map(({ content }) => (typeof content === 'string' ? content : '')).join('\n')

function outcomeOf(one: HostileFile, { status, json }: Answer): string {
  if (status !== 200) return `${status} ${json.code}`
  return isNoted(one) ? 'note' : '200'
}

/** Ordinary conversations of somebody else, one after the other. */
function keepTalking(key: string) {
  const answers: { status: number; ms: number }[] = []
  let isOver = false
  const talk = (async () => {
    while (!isOver) {
      const startedAt = performance.now()
      const { status } = await ask(stage, key, { model: 'say', messages: [{ role: 'user', content: 'Hello' }] })
      answers.push({ status, ms: performance.now() - startedAt })
      await sleep(50)
    }
  })()
  return async () => {
    isOver = true
    await talk
    return answers
  }
}

test('every hostile file ends in time and alone: others are answered, nothing is charged, memory stays', async () => {
  test.setTimeout(120_000)
  const [paying, talking] = await Promise.all([stage.newKey('5'), stage.newKey('5')])
  const { before: credit, cost } = await balanceOf(stage, paying)
  const question = { type: 'text', text: 'What is this?' }
  const bodies = files.map((one) => ({ one, body: Buffer.from(JSON.stringify(say([question, one.part]))) }))
  const memory = watchMemory(stage.product.pid)
  const stopTalking = keepTalking(talking)

  const seen = await mapLimited(bodies, AT_ONCE, async ({ one, body }) => {
    const startedAt = performance.now()
    const answer = await ask(stage, paying, body)
    return { one, answer, outcome: outcomeOf(one, answer), ms: performance.now() - startedAt }
  })
  const ordinary = await stopTalking()
  const peak = memory.stop()

  const wrong = seen.filter(({ one, outcome }) => !one.expected.includes(outcome))
  expect(wrong.map(({ one, outcome, answer }) => [one.name, outcome, answer.text.slice(0, 200)])).toEqual([])
  expect(seen.filter(({ ms }) => ms > MAX_ANSWER_MS).map(({ one, ms }) => [one.name, ms])).toEqual([])
  expect(ordinary.filter(({ status }) => status !== 200)).toEqual([])
  expect(Math.max(...ordinary.map(({ ms }) => ms))).toBeLessThan(MAX_ORDINARY_MS)
  expect(peak.server - memory.before).toBeLessThan(MAX_GROWTH)
  expect(peak.child).toBeLessThan(MAX_CHILD)
  const charges = seen.reduce((sum, { answer }) => sum + chargeOf(answer), cost)
  expect((await balanceOf(stage, paying)).before).toBe(credit - charges)
  const slowest = (answers: { ms: number }[]) => Math.max(...answers.map(({ ms }) => ms))
  report('hostile files', { ...peak, before: memory.before, ordinaryMs: slowest(ordinary), answerMs: slowest(seen) })
})

/** Of an answer; what was refused costs nothing. In nano-dollars. */
function chargeOf({ status, json }: Answer): bigint {
  return status === 200 ? nanoOf((json.cost as { usd: number }).usd.toFixed(9)) : 0n
}

test('a page that is a bomb is left out of the answer, and not charged', async () => {
  const key = await stage.newKey('5')
  const { status, json } = await ask(
    stage,
    key,
    say(`Read ${site.origin}/gzip.html`, { service_parameters: { enable_web_scraping: true } }),
  )
  expect(status).toBe(200)
  expect(json).toMatchObject({ service_parameters: { web_search_citations: [] } })
  expect((json.cost as { usd: number }).usd).toBeLessThan(0.01)
})

test('a few kilobytes that are hours of sound when they are read are refused before they fill the memory', async () => {
  const silence = ['-f', 'lavfi', '-i', 'anullsrc=r=16000:cl=mono:d=1795', '-compression_level', '8', 'a.flac']
  const [flac] = makeWithFfmpeg(silence) as [Uint8Array]
  const key = await stage.newKey('5')
  const part = { type: 'input_audio', input_audio: { data: Buffer.from(flac).toString('base64'), format: 'flac' } }
  const memory = watchMemory(stage.product.pid)
  const messages = Array.from({ length: 12 }, () => ({ role: 'user', content: [part, part, part, part, part] }))
  const { status, json } = await ask(stage, key, { model: 'able', messages })
  const peak = memory.stop()
  expect([status, json.code]).toEqual([400, 'INVALID_REQUEST'])
  expect(JSON.stringify(json.issues)).toContain('128 MB')
  expect(peak.server - memory.before).toBeLessThan(MAX_GROWTH)
  report('60 half hours of silence', { ...peak, before: memory.before })
})

test('one account that sends all it can leaves the others their place', async () => {
  const [flooding, other] = await Promise.all([stage.newKey('5'), stage.newKey('5')])
  const noise = Buffer.concat([Buffer.from('\0\0\0\x18ftypisom\0\0\0\0isommp41', 'latin1'), randomBytes(24 * MB)])
  const flood = Buffer.from(
    JSON.stringify(say([{ type: 'video_url', video_url: { url: dataUrl('video/mp4', noise) } }])),
  )
  const url = dataUrl('image/png', await textPicture('HIGH WATER'))
  const memory = watchMemory(stage.product.pid)
  const answers = Array.from({ length: 10 }, () => ask(stage, flooding, flood))
  await sleep(500)
  const { status } = await ask(stage, other, say([{ type: 'image_url', image_url: { url } }]))
  const statuses = (await Promise.all(answers)).map((answer) => `${answer.status} ${answer.json.code}`)
  const peak = memory.stop()
  expect(status).toBe(200)
  const allowed = ['400 INVALID_VIDEO_FORMAT', '503 SERVICE_UNAVAILABLE']
  expect(statuses.filter((one) => !allowed.includes(one))).toEqual([])
  expect(peak.server - memory.before).toBeLessThan(MAX_GROWTH_IN_HAND)
  report('10 films of 24 MB from one account', { ...peak, before: memory.before })
})

test('nothing of all this was unexpected', async () => {
  const unexpected = (await stage.log()).split('\n').filter((line) => /unexpected error|"level":(50|60)/.test(line))
  expect(unexpected).toEqual([])
})

test('no process knows the server’s secrets, and none outlives it, and no file: at its end, and when it is killed', async () => {
  test.setTimeout(60_000)
  const key = await stage.newKey('5')
  const text = Buffer.from('BT /F 9 Tf (a) Tj ET\n'.repeat(14 * MB))
  const pdf = dataUrl('application/pdf', onePagePdf(packed(text, 2)))
  const picture = dataUrl('image/png', await textPicture('HIGH WATER'))
  const noise = Buffer.concat([Buffer.from('\0\0\0\x18ftypisom\0\0\0\0isommp41', 'latin1'), randomBytes(10 * MB)])
  const busy = say([
    { type: 'file', file: { file_data: pdf, filename: 'a.pdf' } },
    { type: 'image_url', image_url: { url: picture } },
    { type: 'video_url', video_url: { url: dataUrl('video/mp4', noise) } },
  ])
  for (const end of [() => stage.kill(), () => stage.product.stop()]) {
    if (alive([stage.product.pid]).length === 0) await stage.start()
    const asked = [busy, busy].map((body) => ask(stage, key, body).catch(() => undefined))
    await expect.poll(() => descendantsOf(stage.product.pid).length).toBeGreaterThanOrEqual(3)
    await sleep(500)
    const children = descendantsOf(stage.product.pid)
    await expect.poll(() => children.filter((child) => !hasBegun(child))).toEqual([])
    for (const child of children) expect(environmentOf(child)).not.toContain(UPSTREAM_SECRET)
    await end()
    await expect.poll(() => alive(children)).toEqual([])
    await Promise.all(asked)
  }
  const left = (await readdir(tmpdir())).filter((name) => !temporary.includes(name))
  expect(left.filter((name) => /vips|magick|sharp|ffmpeg|\.v$/i.test(name))).toEqual([])
})

/** For whoever reads the run: what was measured, in megabytes. */
function report(what: string, numbers: Record<string, number>): void {
  const text = Object.entries(numbers).map(([name, number]) =>
    name.endsWith('Ms') ? `${name} ${Math.round(number)}` : `${name} ${Math.round(number / MB)}`,
  )
  test.info().annotations.push({ type: 'memory', description: `${what}: ${text.join(', ')}` })
}
