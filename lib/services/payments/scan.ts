import 'server-only'
import { ApiError } from '@/lib/contract/errors'
import type { Database } from '@/lib/db/database'
import { log } from '@/lib/kernel/log'
import type { Rail } from '@/lib/services/chains/rails'
import { ChainUnavailable } from '@/lib/services/payments/chain'
import type { Chain, Transfer } from '@/lib/services/payments/chain-node'
import type { PaymentRow } from '@/lib/services/payments/payment-row'
import type { PaymentStore } from '@/lib/services/payments/store'
import { noteCredit } from '@/lib/services/payments/top-up'

export type ScanTools = {
  store: PaymentStore
  database: () => Promise<Database>
  rails: () => Rail[]
  chainOf: (rail: Rail) => Chain
}

export type RailScan = {
  network: string
  transfers: number
  credited: PaymentRow[]
  isDone: boolean
  isReachable: boolean
}

const SCAN_EVERY_SECONDS = 240
const MAX_PARTS = 100
/** The largest amount in base units that a balance in nano-dollars can take: far above all USDC there is. */
const MAX_UNITS = 9_000_000_000_000_000n

/**
 * Scans for transfers to us that no payment knows: paid without asking, sent in by others, or a lost row. Each is
 * credited to its payer once, under the key of its payment.
 * @param from cursors to go back to, by network; never past what was not read yet.
 */
export async function scanRails(
  tools: ScanTools,
  { isForced = false, from = {} }: { isForced?: boolean; from?: Record<string, string> } = {},
): Promise<RailScan[]> {
  const scans: RailScan[] = []
  for (const rail of tools.rails()) {
    if (!(isForced || (await isTurn(tools, rail)))) continue
    scans.push(await scanRail(tools, rail, from[rail.network]))
  }
  return scans
}

async function scanRail(tools: ScanTools, rail: Rail, from?: string): Promise<RailScan> {
  const scan: RailScan = { network: rail.network, transfers: 0, credited: [], isDone: false, isReachable: true }
  const read = await readCursor(tools, rail)
  let cursor = from !== undefined && (read === undefined || BigInt(from) < BigInt(read)) ? from : read
  try {
    for (let part = 0; part < MAX_PARTS && !scan.isDone; part++) {
      const scanned = await tools.chainOf(rail).scan(cursor)
      for (const transfer of scanned.transfers) {
        const credited = await creditTransfer(tools, rail, transfer).catch((error: unknown) => skip(transfer, error))
        if (credited) scan.credited.push(credited)
      }
      scan.transfers += scanned.transfers.length
      cursor = scanned.cursor
      await writeCursor(tools, rail, cursor)
      scan.isDone = scanned.isDone
    }
  } catch (error) {
    if (!(error instanceof ChainUnavailable)) throw error
    log().warn({ network: rail.network, err: error.cause }, 'a chain cannot be searched for payments')
    scan.isReachable = false
  }
  return scan
}

async function creditTransfer({ store }: ScanTools, rail: Rail, transfer: Transfer): Promise<PaymentRow | undefined> {
  if (transfer.amount > MAX_UNITS) return undefined
  const row = await store.adopt(transfer, rail)
  if (row.state === 'credited') return undefined
  const { row: credited, isNew } = await store.credit(row.id, { status: 'paid', isSafe: true, ...transfer })
  if (!isNew) return undefined
  log().warn({ payment: credited.id, before: row.state }, 'a payment was found on its chain that was not credited')
  noteCredit(credited)
  return credited
}

/** One transfer that cannot be booked must not hide those after it. While the database is away none can. */
function skip(transfer: Transfer, error: unknown): undefined {
  if (error instanceof ApiError) throw error
  log().error({ key: transfer.key, payer: transfer.payer, err: error }, 'a transfer to us cannot be credited')
  return undefined
}

const cursorKey = ({ network, payTo }: Rail): string => `payments-read:${network}:${payTo}`

async function readCursor({ database }: ScanTools, rail: Rail): Promise<string | undefined> {
  const { query } = await database()
  const [row] = await query<{ value: string }>('select value from installation where key = $1', [cursorKey(rail)])
  return row?.value
}

async function writeCursor({ database }: ScanTools, rail: Rail, cursor: string): Promise<void> {
  const { query } = await database()
  await query(
    `insert into installation (key, value) values ($1, $2)
     on conflict (key) do update set value = excluded.value, at = now()`,
    [cursorKey(rail), cursor],
  )
}

async function isTurn({ database }: ScanTools, rail: Rail): Promise<boolean> {
  const { query } = await database()
  const rows = await query(
    `insert into installation as i (key, value) values ($1, '')
     on conflict (key) do update set at = now() where i.at < now() - make_interval(secs => $2) returning key`,
    [`payments-scan:${rail.network}:${rail.payTo}`, SCAN_EVERY_SECONDS],
  )
  return rows.length > 0
}
