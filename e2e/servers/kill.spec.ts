import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { PGlite } from '@electric-sql/pglite'
import { command } from '@/e2e/testing/admin-line'
import { ask } from '@/e2e/testing/ask'
import { openStage, type Stage } from '@/e2e/testing/contract-stage'
import { expect, test } from '@/e2e/testing/contract-test'
import { COST_NANO } from '@/e2e/testing/contract-upstream'
import type { Chunk } from '@/e2e/testing/sse-reader'

/** The short run of every commit; `KILL_ROUNDS=50` is the long one. */
const ROUNDS = Number(process.env.KILL_ROUNDS ?? 3)
const ROUND_TIMEOUT_MS = 60_000
const STREAMS = 6
/** A start begins with a sweep. */
const SWEPT_WITHIN_MS = 20_000
/** The upstream makes 50 tokens a second. */
const TOKENS_PER_SECOND = 50
const EARLIEST_KILL_MS = 150
const LATEST_KILL_MS = 5_500
/** What the customer may have been charged for beyond what came: at most what was made in the last two seconds. */
const UNDELIVERED_TOKENS = 2 * TOKENS_PER_SECOND
/** What the operator may lose: what was made since the last mark, which is a quarter of a second old, on a busy machine. */
const LOST_TOKENS = TOKENS_PER_SECOND
/** A whole answer is charged 50 ms after it; more on a busy machine. */
const LOST_WITHIN_MS = 1_000
const INPUT_NANO = 1_000n
const OUTPUT_NANO = 2_000n

/** What one client saw of one answer. `isLast`: a moment before the server died. */
type Seen = { id?: string; tokens: number; isWhole: boolean; isLast?: boolean }

test('kill -9 in the middle of streams leaves clean books and charges nobody for what did not come', async () => {
  test.setTimeout(120_000 + ROUNDS * ROUND_TIMEOUT_MS)
  const stage = await openStage({ failedRequests: { count: 1_000 } })
  try {
    const keys = await Promise.all([stage.newKey('5'), stage.newKey('5')])
    const seen: Seen[] = []
    for (let round = 0; round < ROUNDS; round++) {
      await test.step(`round ${round + 1}`, async () => {
        const answers = Array.from({ length: STREAMS }, (_, at) => readStream(stage, keys[at % keys.length]!))
        const whole = keepAsking(stage, keys[0]!)
        await sleep(EARLIEST_KILL_MS + Math.random() * (LATEST_KILL_MS - EARLIEST_KILL_MS))
        await stage.kill()
        seen.push(...(await Promise.all(answers)), ...(await whole))
        await stage.start()
        await expect(() => command(stage.dataDir, 'ledger', 'check')).toPass({ timeout: SWEPT_WITHIN_MS })
      })
    }
    const answer = await ask(stage, keys[1]!, { model: 'say', messages: [{ role: 'user', content: 'Hello' }] })
    expect(answer.status).toBe(200)
    await stage.product.stop()
    await compare(stage, seen)
  } finally {
    await stage.stop()
  }
})

/** Reads a stream until the server dies. */
async function readStream({ baseUrl }: Stage, key: string): Promise<Seen> {
  const seen: Seen = { tokens: 0, isWhole: false }
  try {
    const response = await fetch(`${baseUrl}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'slow', messages: [{ role: 'user', content: 'Count' }], stream: true }),
    })
    const decoder = new TextDecoder()
    let rest = ''
    for await (const bytes of response.body!) {
      const frames = (rest + decoder.decode(bytes, { stream: true })).split('\n\n')
      rest = frames.pop() ?? ''
      for (const frame of frames.filter((text) => text.startsWith('data: {'))) {
        const chunk = JSON.parse(frame.slice('data: '.length)) as Chunk & { id: string }
        seen.id = chunk.id
        if (chunk.choices[0]?.delta.content) seen.tokens++
      }
    }
  } catch (error) {
    // The connection broke, which is what this test is about; anything else is a fault of it.
    if (!(error instanceof TypeError)) throw error
  }
  return seen
}

/** Answers that come whole: what was answered a moment before the server died must be in the books. */
async function keepAsking({ baseUrl }: Stage, key: string): Promise<Seen[]> {
  const seen: (Seen & { at: number })[] = []
  try {
    while (true) {
      const body = { model: 'say', messages: [{ role: 'user', content: 'Hello' }] }
      const { status, json } = await ask({ baseUrl }, key, body)
      expect(status).toBe(200)
      seen.push({ id: json.id as string, tokens: 0, isWhole: true, at: performance.now() })
      await sleep(20)
    }
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    const end = performance.now()
    return seen.map(({ at, ...one }) => ({ ...one, isLast: end - at < LOST_WITHIN_MS }))
  }
}

/** The server's database, while the server is down. */
async function withDatabase<T>({ dataDir }: Stage, work: (database: PGlite) => Promise<T>): Promise<T> {
  const database = await PGlite.create(path.join(dataDir, 'db'))
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}

type Row = { id: string; charged: string; prompt: number; completion: number }

async function compare(stage: Stage, seen: Seen[]): Promise<void> {
  const rows = await withDatabase(stage, async (database) => {
    const open = await database.query<{ count: string }>('select count(*)::text as count from lease')
    expect(open.rows[0]?.count).toBe('0')
    const charges = await database.query<Row>(`
      select u.request_id as id, (-sum(e.amount))::text as charged, u.prompt_tokens as prompt, u.completion_tokens as completion
      from usage_record u join entry e on e.txn_id = u.txn_id and e.account_id = u.account_id
      group by u.request_id, u.prompt_tokens, u.completion_tokens`)
    return new Map(charges.rows.map((row) => [row.id, row]))
  })
  let lost = 0
  for (const { id, tokens, isWhole, isLast } of seen) {
    if (id === undefined) continue
    const row = rows.get(id)
    if (isWhole) {
      if (row || !isLast) expect(row?.charged, id).toBe(String(COST_NANO))
      continue
    }
    const { charged, prompt, completion } = row ?? { charged: '0', prompt: 0, completion: 0 }
    expect(BigInt(charged), id).toBe(BigInt(prompt) * INPUT_NANO + BigInt(completion) * OUTPUT_NANO)
    expect(prompt, id).toBeLessThan(200)
    expect(completion, id).toBeLessThanOrEqual(tokens + UNDELIVERED_TOKENS)
    expect(completion, id).toBeGreaterThanOrEqual(tokens - LOST_TOKENS)
    lost = Math.max(lost, tokens - completion)
  }
  const streams = seen.filter(({ isWhole }) => !isWhole)
  console.log(
    `${ROUNDS} kills: ${streams.length} streams cut, ${seen.length - streams.length} whole answers kept, at most ${lost} delivered tokens not charged`,
  )
}
