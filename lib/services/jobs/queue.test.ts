import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, expect, test, vi } from 'vitest'
import { uuid } from '@/lib/contract/ids'
import { nano } from '@/lib/contract/money'
import { DatabaseUnavailable } from '@/lib/db/outage'
import { testDatabase } from '@/lib/db/testing'
import { EngineError } from '@/lib/services/engines/engine'
import { setEnvironment, withEnvironment } from '@/lib/services/identity/testing'
import { JobCancelled, type JobHandler, type JobKind, MAX_LIVE_JOBS } from '@/lib/services/jobs/job'
import { createFileStore } from '@/lib/services/jobs/media-store'
import { queueJob } from '@/lib/services/jobs/queue'
import { claimJob, endJob } from '@/lib/services/jobs/statements'
import { sweepJobs } from '@/lib/services/jobs/sweep'
import { brokenJobs, endOf, oneChunk } from '@/lib/services/jobs/testing'
import { startWorker, type Worker } from '@/lib/services/jobs/worker'
import { checkLedger } from '@/lib/services/ledger/invariants'
import { balancesOf, hold, release } from '@/lib/services/ledger/ledger'
import { chargeOfNano, makeAccount, makeKey } from '@/lib/services/ledger/testing'

const folder = await mkdtemp(path.join(tmpdir(), 'jobs-test-'))
setEnvironment({ DATA_DIR: folder, NODE_ENV: 'test' })
const database = await testDatabase()
const store = createFileStore(path.join(folder, 'job-media'))
const workers: Worker[] = []

afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.stop()))
  await database.query(
    `select drop_jobs(array(select id from job where state in ('queued', 'running')), 'failed', null)`,
  )
})
afterAll(async () => {
  const broken = (await checkLedger(database, { depth: 'full' })).filter((check) => check.broken > 0)
  const jobs = await brokenJobs(database)
  await rm(folder, { recursive: true })
  expect([...broken, ...jobs]).toEqual([])
})

function work(handler: JobHandler, kind: JobKind = 'video', places?: number): void {
  workers.push(startWorker({ database, store, handlers: { [kind]: handler }, places }))
}

type Wish = { accountId?: string; keyId?: string; amount?: bigint; kind?: JobKind; input?: unknown; modelId?: string }

async function order({ accountId, keyId, amount = 1_000n, kind = 'video', input = {}, modelId = 'reel' }: Wish = {}) {
  const owner = accountId ?? (await makeAccount(database, { USD: 10_000n }))
  const held = await hold({ accountId: owner, keyId, requestId: uuid(), amount: nano(amount) })
  const charge = chargeOfNano(amount)
  try {
    const id = await queueJob({ kind, modelId, input, hold: held, charge })
    return { id, accountId: owner }
  } finally {
    // As the request's meter does, whatever became of it.
    await release(held)
  }
}

const left = async (accountId: string) => (await balancesOf(accountId)).USD
const made = (text = 'film') => ({ type: 'video/mp4', bytes: oneChunk(text) })

test('the price is set aside with the job and charged when its file is there', async () => {
  const { id, accountId } = await order({ input: { prompt: 'waves' } })
  expect(await left(accountId)).toBe(9_000n)
  const seen: unknown[] = []
  work(async (job) => {
    seen.push(job.input)
    return made()
  })
  const row = await endOf(database, id)
  expect(seen).toEqual([{ prompt: 'waves' }])
  expect(row).toMatchObject({ state: 'done', media_type: 'video/mp4', media_bytes: 4, input: null })
  expect(Buffer.concat(await Array.fromAsync(store.read(String(row.media_id)))).toString()).toBe('film')
  expect(await left(accountId)).toBe(9_000n)
  const usage = await database.query('select 1 from usage_record where account_id = $1', [accountId])
  expect(usage).toHaveLength(1)
})

test('work that turns out cheaper is charged what it came to, and never more than was set aside', async () => {
  for (const [cost, expected] of [
    [300n, 9_700n],
    [5_000n, 9_000n],
  ] as const) {
    const { id, accountId } = await order()
    work(async () => ({ ...made(), charge: chargeOfNano(cost) }))
    expect(await endOf(database, id)).toMatchObject({ state: 'done' })
    expect(await left(accountId)).toBe(expected)
    await Promise.all(workers.splice(0).map((worker) => worker.stop()))
  }
})

test('failed work gives the price back, and its key may spend it again', async () => {
  const accountId = await makeAccount(database, { USD: 10_000n })
  const keyId = await makeKey(database, accountId, { usd: 1_000n })
  const { id } = await order({ accountId, keyId })
  work(async () => {
    throw new EngineError('content-policy', 'The model refused this content.')
  })
  const row = await endOf(database, id)
  expect(row).toMatchObject({
    state: 'failed',
    failure: { reason: 'content-policy', message: 'The model refused this content.' },
  })
  expect(await left(accountId)).toBe(10_000n)
  const retry = await order({ accountId, keyId })
  expect((await endOf(database, retry.id)).state).toBe('failed')
})

test('a fault of ours says nothing of itself', async () => {
  const { id, accountId } = await order()
  work(async () => {
    throw new Error('secret path /srv/x')
  })
  expect((await endOf(database, id)).failure).toEqual({ reason: 'failed', message: 'The generation failed.' })
  expect(await left(accountId)).toBe(10_000n)
})

test('what nobody can pay is not queued, and nothing stays aside', async () => {
  const accountId = await makeAccount(database, { USD: 500n })
  await expect(order({ accountId, amount: 501n })).rejects.toMatchObject({ code: 'INSUFFICIENT_BALANCE' })
  expect(await left(accountId)).toBe(500n)
  expect(await database.query('select 1 from job where account_id = $1', [accountId])).toEqual([])
})

test('the whole balance can be queued: the request’s own hold passes on', async () => {
  const accountId = await makeAccount(database, { USD: 500n })
  await order({ accountId, amount: 500n })
  expect(await left(accountId)).toBe(0n)
})

test('free work moves no money', async () => {
  const { id, accountId } = await order({ amount: 0n })
  work(async () => made())
  expect((await endOf(database, id)).state).toBe('done')
  expect(await left(accountId)).toBe(10_000n)
})

test('a long input is kept beside the row and forgotten with the job', async () => {
  const image = 'x'.repeat(100_000)
  const { id } = await order({ input: { picture: image } })
  const seen: unknown[] = []
  work(async (job) => {
    seen.push(job.input)
    return made()
  })
  const row = await endOf(database, id)
  expect(seen).toEqual([{ picture: image }])
  await sweepJobs(database, store)
  expect(await readdir(path.join(folder, 'job-media'))).not.toContain(row.input_id)
})

test('an account has a bounded queue, and others have theirs', async () => {
  const accountId = await makeAccount(database, { USD: 100_000n })
  for (let n = 0; n < MAX_LIVE_JOBS; n++) await order({ accountId })
  await expect(order({ accountId })).rejects.toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' })
  expect(await left(accountId)).toBe(100_000n - BigInt(MAX_LIVE_JOBS) * 1_000n)
  await expect(order()).resolves.toBeDefined()
})

test('who has nothing under way comes before who has', async () => {
  const busy = await makeAccount(database, { USD: 100_000n })
  for (let n = 0; n < 3; n++) await order({ accountId: busy })
  const late = await order()
  const first = await claimJob(database, ['video'])
  const second = await claimJob(database, ['video'])
  expect(first?.accountId).toBe(busy)
  expect(second?.id).toBe(late.id)
})

test('cancelled while it waits: given back, and no worker gets it', async () => {
  const { id, accountId } = await order()
  await database.query('select cancel_job($1)', [id])
  expect(await left(accountId)).toBe(10_000n)
  expect(await claimJob(database, ['video'])).toBeUndefined()
})

test('an end by who has lost the lease changes nothing', async () => {
  const { id, accountId } = await order()
  const dead = await claimJob(database, ['video'])
  await database.query(`update job set lease_until = now() - interval '1 second' where id = $1`, [id])
  const alive = await claimJob(database, ['video'])
  expect(alive).toMatchObject({ id, attempts: 2 })
  const media = { id: uuid(), type: 'video/mp4', bytes: 1 }
  expect(await endJob(database, { id, lease: dead!.lease }, { media })).toBe(false)
  expect(await endJob(database, { id, lease: alive!.lease }, { media })).toBe(true)
  expect(await endJob(database, { id, lease: alive!.lease }, { media })).toBe(false)
  expect(await left(accountId)).toBe(9_000n)
})

test('the next attempt goes on from what the dead one noted', async () => {
  const { id } = await order()
  const dead = await claimJob(database, ['video'])
  await database.query(`update job set ref = '{"id":"theirs-1"}', lease_until = now() - interval '1 s' where id = $1`, [
    id,
  ])
  const refs: unknown[] = []
  work(async (job) => {
    refs.push(job.ref)
    return made()
  })
  await endOf(database, id)
  expect(dead?.attempts).toBe(1)
  expect(refs).toEqual([{ id: 'theirs-1' }])
})

test('the inputs of all jobs that ended are forgotten at the next sweep, however many they are', async () => {
  const { id } = await order()
  await database.query(
    `insert into job (id, account_id, kind, model_id, state, input_id, deadline, finished_at, price, usage)
     select gen_random_uuid(), account_id, kind, model_id, 'failed', gen_random_uuid(), now(), now(), price, usage
       from job, generate_series(1, 250) where id = $1`,
    [id],
  )
  await sweepJobs(database, store)
  const [row] = await database.query<{ left: number }>(
    'select count(*)::int as left from job where input_id is not null and finished_at is not null',
  )
  expect(row?.left).toBe(0)
  await database.query(`delete from job where state = 'failed' and started_at is null and id <> $1`, [id])
})

test('a job that takes its process down again and again is given up', async () => {
  const { id, accountId } = await order()
  await database.query('update job set attempts = 5 where id = $1', [id])
  expect(await claimJob(database, ['video'])).toBeUndefined()
  await sweepJobs(database, store)
  expect((await endOf(database, id)).failure).toMatchObject({ reason: 'timeout' })
  expect(await left(accountId)).toBe(10_000n)
})

test('a worker that stops gives its jobs back unbegun, and the engine is not told to stop', async () => {
  const { id } = await order()
  let reason: unknown
  const begun = Promise.withResolvers<void>()
  work((_, { signal }) => {
    begun.resolve()
    return new Promise((_, reject) =>
      signal.addEventListener('abort', () => {
        reason = signal.reason
        reject(signal.reason)
      }),
    )
  })
  await begun.promise
  await workers.splice(0)[0]?.stop()
  expect(reason).not.toBeInstanceOf(JobCancelled)
  const [row] = await database.query('select state, attempts::int, lease from job where id = $1', [id])
  expect(row).toEqual({ state: 'queued', attempts: 0, lease: null })
})

test('results are forgotten after a day, files that no job names after hours', async () => {
  const { id } = await order()
  work(async () => made())
  const row = await endOf(database, id)
  const orphan = uuid()
  await store.write(orphan, oneChunk('lost'), 100)
  await sweepJobs(database, store, Date.now() + 23 * 3_600_000)
  const names = await readdir(path.join(folder, 'job-media'))
  expect(names).toContain(row.media_id)
  expect(names).not.toContain(orphan)
  await sweepJobs(database, store, Date.now() + 25 * 3_600_000)
  expect(await readdir(path.join(folder, 'job-media'))).not.toContain(row.media_id)
  expect((await endOf(database, id)).media_id).toBeNull()
})

test('results that nobody fetches keep new jobs out when they fill what the operator gives', async () => {
  const { id } = await order()
  work(async () => made())
  await endOf(database, id)
  await database.query('update job set media_bytes = 2000000 where id = $1', [id])
  const settings = { JOB_MEDIA_MB: '1', DATA_DIR: folder, NODE_ENV: 'test' }
  const refused = withEnvironment(settings, () =>
    expect(order()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' }),
  )
  await refused
  await database.query('update job set media_bytes = 4 where id = $1', [id])
})

test.each([
  ['can be taken back, nothing was charged', /queue_job/, 'Nothing was charged'],
  ['cannot even be taken back, nobody says that nothing was charged', /queue_job|cancel_job/, 'it runs and is charged'],
])('where the answer to a new job is lost and it %s', async (_outcome, lost, words) => {
  const { query } = database
  const asking = vi.spyOn(database, 'query').mockImplementation(async (text, parameters) => {
    const rows = await query(text, parameters)
    if (lost.test(text)) throw new DatabaseUnavailable('away')
    return rows as never
  })
  try {
    await expect(order()).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      message: expect.stringContaining(words),
    })
  } finally {
    asking.mockRestore()
  }
})
