import path from 'node:path'
import { type Child, cpuMs, type Keep, loopback, openAll, startChild, withBed } from '@/bench/children'
import { addToReport, aligned, medians, shown } from '@/bench/figures'
import { LEGS } from '@/bench/gateway-legs'
import { chargeOfChat, makeAccount } from '@/bench/ledger'
import type { ClientCalls } from '@/bench/load-client'
import { type Costs, type StatementCost, simulate } from '@/bench/process-simulation'
import { treeCpuMs } from '@/bench/process-watch'
import { createKeys, startProduct } from '@/bench/product'
import { answerText, MODEL, type MockCalls, writeSettings } from '@/bench/settings'
import { uuid } from '@/lib/contract/ids'
import { nano, usd } from '@/lib/contract/money'
import { openDatabase } from '@/lib/db/client'
import type { Database } from '@/lib/db/database'
import { FRESH_MS } from '@/lib/services/ledger/leases'
import { createLedger } from '@/lib/services/ledger/ledger'
import { type ChargeRow, leaseCredit, settleLeases, toUsage } from '@/lib/services/ledger/statements'
import { startPostgres } from '@/scripts/postgres'

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5)
const LEG_MS = Number(process.env.BENCH_LEG_MS ?? 3_000)
const WARM_UP_MS = Number(process.env.BENCH_WARM_UP_MS ?? 10_000)
const WORKERS = [1, 2]
const ACCOUNTS = 64
const CONNECTIONS = 32
const CREDIT_USD = '100000'

const BATCHES = [1, 16, 64, 256]
const STATEMENTS = 100

const SIMULATED = [1, 2, 4, 8, 16, 32, 64]
const DATABASE_CORES = 8
const SIMULATED_ACCOUNTS = 10_000

const CHAT = LEGS.find(({ name }) => name === 'chat-32-one-event')!

type Target = { workers: number; origin: string; keys: string[]; pid: number; databasePid: number }
type Bed = { client: Child<ClientCalls>; targets: Target[] }
/** CPU of one request: of all processes of the server, and of all of the database. */
type Measured = { serverUs: number; databaseUs: number; perSecond: number; p50Ms: number; faults: string[] }

/**
 * Measures what a request costs one and two processes and their database, and how long the database takes for the statements
 * of the ledger; then simulates up to 64 processes on one database, beside the two that were measured.
 *
 * @returns false when an answer was wrong.
 */
export async function benchProcesses(): Promise<boolean> {
  const { spread, hot } = await withBed(
    (folder) => openAll((keep) => openBed(folder, keep)),
    async (bed) => ({ spread: await measureRounds(bed, ACCOUNTS), hot: await measureRounds(bed, 1) }),
  )
  const costs = await measureStatements()
  console.log(measuredTable(spread, costs, ACCOUNTS))
  console.log(`\n${measuredTable(hot, costs, 1)}`)
  console.log(`\n${costsTable(costs)}`)
  const requestUs = spread[0]!.serverUs
  const simulated = { leased: simulatedRows(costs, requestUs, FRESH_MS), alone: simulatedRows(costs, requestUs, 0) }
  for (const [name, rows] of Object.entries(simulated)) console.log(`\n${name}\n${simulatedTable(rows)}`)
  await addToReport({ processes: { spread, hot, costs, simulated } })
  const faults = [...spread, ...hot].flatMap((measured) => measured.faults)
  for (const fault of faults.slice(0, 5)) console.error(`wrong answer: ${fault}`)
  return faults.length === 0
}

async function openBed(folder: string, keep: Keep): Promise<Bed> {
  const upstream = keep(await startChild<MockCalls>('mock-upstream'))
  const client = keep(await startChild<ClientCalls>('load-client'))
  const port = await upstream.call('listen')
  await upstream.call('plan', CHAT.plan)
  const targets: Target[] = []
  for (const workers of WORKERS) {
    const own = path.join(folder, String(workers))
    const postgres = keep(await startPostgres())
    const environment = {
      ...(await writeSettings(own, port)),
      SANDBOX: 'off',
      DATA_DIR: path.join(own, 'data'),
      DATABASE_URL: postgres.url,
      WORKERS: String(workers),
    }
    const product = keep(await startProduct({ logFile: path.join(own, 'log'), environment }))
    const keys = await createKeys(product, ACCOUNTS, CREDIT_USD)
    targets.push({ workers, origin: loopback(product.port), keys, pid: product.pid, databasePid: postgres.pid })
  }
  return { client, targets }
}

/** In turn within every round, so that what else the machine does falls on all alike. */
async function measureRounds({ client, targets }: Bed, accounts: number): Promise<Measured[]> {
  for (const target of targets) await measure(client, target, accounts, WARM_UP_MS)
  const rounds: Measured[][] = targets.map(() => [])
  for (let round = 0; round < ROUNDS; round++) {
    for (const [at, target] of targets.entries()) rounds[at]!.push(await measure(client, target, accounts, LEG_MS))
  }
  return rounds.map(medians)
}

async function measure(
  client: Child<ClientCalls>,
  { origin, keys, pid, databasePid }: Target,
  accounts: number,
  durationMs: number,
): Promise<Measured> {
  const { plan } = CHAT
  const before = { server: treeCpuMs(pid), database: treeCpuMs(databasePid) }
  const { requests, elapsedMs, p50Ms, faults } = await client.call('chat', {
    origin,
    path: '/api/v1/chat/completions',
    keys: keys.slice(0, accounts),
    model: MODEL,
    durationMs,
    ...CHAT.load,
    connections: CONNECTIONS,
    expect: { text: answerText(plan), tokens: plan.tokens, events: 0 },
  })
  return {
    serverUs: ((treeCpuMs(pid) - before.server) * 1_000) / requests,
    databaseUs: ((treeCpuMs(databasePid) - before.database) * 1_000) / requests,
    perSecond: (requests * 1_000) / elapsedMs,
    p50Ms,
    faults,
  }
}

/** Times the ledger's statements by their number of rows, on a database that does nothing else. */
async function measureStatements(): Promise<Costs> {
  const postgres = await startPostgres()
  const database = await openDatabase({ root: process.cwd(), url: postgres.url, poolSize: 1 })
  try {
    const processId = uuid()
    const accounts = await makeAccounts(database, Math.max(...BATCHES))
    const [{ pid }] = (await database.query<{ pid: number }>('select pg_backend_pid() as pid')) as [{ pid: number }]
    const leases = await leaseCredit(database, processId, accounts.map(leaseRow))
    const lease = await costOf(pid, (rows) => leaseCredit(database, processId, accounts.slice(0, rows).map(leaseRow)))
    const settle = await costOf(pid, (rows) => {
      const charges = accounts.slice(0, rows).map((account, at) => {
        const answer = leases[at]
        if (typeof answer === 'symbol' || answer?.refusal !== null) throw new Error('no lease was given')
        return chargeRow(account, answer.lease)
      })
      return settleLeases(database, processId, { ...NOTHING, charges })
    })
    return { lease, settle }
  } finally {
    await database.close()
    await postgres.stop()
  }
}

const NOTHING = { returned: [], ended: [], marks: [], unmarked: [], isBeat: false }
const AMOUNT = usd('0.001')

const leaseRow = (account: string) => ({ account, amount: AMOUNT, pending: 0n, free: {}, extra: nano(AMOUNT * 10n) })

function chargeRow(account: string, lease: string): ChargeRow {
  const charge = chargeOfChat()
  const facts = { id: uuid(), lease, account, currency: 'USD' as const, request: 'bench', at: performance.now() }
  // So little that the leases last for all statements.
  return { ...facts, charge: 1n, short: 0n, usage: () => toUsage(charge) }
}

async function makeAccounts(database: Database, count: number): Promise<string[]> {
  const ledger = createLedger(database)
  const accounts: string[] = []
  for (let n = 0; n < count; n++) accounts.push(await makeAccount(database, ledger))
  return accounts
}

/** Fits a line through the times of all sizes; what a statement takes besides processor time is the mean of all. */
async function costOf(pid: number, run: (rows: number) => Promise<unknown>): Promise<StatementCost> {
  const points: { rows: number; workUs: number; waitUs: number }[] = []
  for (const rows of BATCHES) {
    for (let n = 0; n < STATEMENTS / 5; n++) await run(rows)
    const [startedAt, before] = [performance.now(), cpuMs(pid)]
    for (let n = 0; n < STATEMENTS; n++) await run(rows)
    const workUs = ((cpuMs(pid) - before) * 1_000) / STATEMENTS
    const elapsedUs = ((performance.now() - startedAt) * 1_000) / STATEMENTS
    points.push({ rows, workUs, waitUs: Math.max(0, elapsedUs - workUs) })
  }
  const mean = (of: (point: (typeof points)[number]) => number) =>
    points.reduce((sum, point) => sum + of(point), 0) / points.length
  const [meanRows, meanUs] = [mean(({ rows }) => rows), mean(({ workUs }) => workUs)]
  const rowUs =
    mean(({ rows, workUs }) => (rows - meanRows) * (workUs - meanUs)) / mean(({ rows }) => (rows - meanRows) ** 2)
  const baseUs = Math.max(0, meanUs - rowUs * meanRows)
  return { baseUs, rowUs, waitUs: points[0]!.waitUs }
}

function measuredTable(measured: Measured[], costs: Costs, accounts: number): string {
  const lines = measured.map(({ serverUs, databaseUs, perSecond, p50Ms }, at) => {
    const workers = WORKERS[at]!
    const foreseen = simulate(costs, {
      processes: workers,
      perSecondOfEach: perSecond / workers,
      accounts,
      databaseCores: 1,
      leasedMs: FRESH_MS,
    })
    return [
      String(workers),
      shown(serverUs, 0),
      shown(measured[0]!.serverUs / serverUs, 2),
      shown(databaseUs, 0),
      shown((foreseen.busy * 1_000_000) / foreseen.perSecond, 0),
      shown(perSecond, 0),
      shown(p50Ms, 1),
    ]
  })
  const head = ['processes', 'server CPU µs', 'a core', 'database CPU µs', 'simulated', 'a second', 'p50 ms']
  return `${accounts} accounts\n${aligned([head, ...lines])}`
}

function costsTable(costs: Costs): string {
  const lines = Object.entries(costs).map(([name, { baseUs, rowUs, waitUs }]) => [
    name,
    shown(baseUs, 0),
    shown(rowUs, 1),
    shown(waitUs, 0),
  ])
  return aligned([['statement', 'CPU µs', 'and each row', 'waits µs'], ...lines])
}

/** Every process as fast as one core lets it be. */
function simulatedRows(costs: Costs, requestUs: number, leasedMs: number) {
  return SIMULATED.map((processes) => {
    const offer = { accounts: SIMULATED_ACCOUNTS, databaseCores: DATABASE_CORES, leasedMs }
    return { processes, ...simulate(costs, { ...offer, processes, perSecondOfEach: 1_000_000 / requestUs }) }
  })
}

function simulatedTable(rows: ReturnType<typeof simulatedRows>): string {
  const one = rows[0]!
  const lines = rows.map(({ processes, perSecond, busy, statementsPerSecond, refused, leaseWaitMs, behindMs }) => [
    String(processes),
    shown(perSecond, 0),
    shown(perSecond / one.perSecond / processes, 2),
    shown(busy * 100, 0),
    shown(statementsPerSecond, 0),
    shown(refused * 100, 0),
    shown(leaseWaitMs, 0),
    shown(behindMs, 0),
  ])
  const head = ['processes', 'a second', 'of N', 'busy %', 'statements', 'refused %', 'p99 wait ms', 'behind ms']
  return aligned([head, ...lines])
}
