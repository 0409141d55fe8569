import { withBed } from '@/bench/children'
import { addToReport, aligned, shown } from '@/bench/figures'
import { type BedName, openWalletBed } from '@/bench/wallet-bed'
import { type Clicks, measureClicks } from '@/bench/wallet-clicks'
import { measurePayments, type Payments, type Sent } from '@/bench/wallet-payments'
import { measureSignIns, type SignIn, type SignIns, WAYS, type Way } from '@/bench/wallet-sign-ins'

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3)
const BEDS: BedName[] = ['sandbox', 'operated']

/**
 * Measures what wallets need of our server, on local chains: sign-ins beside the cheapest request of an API key, payments
 * beside chats that are paid with credit, and the time that a person waits for credit in a real browser.
 *
 * @returns false when an answer was wrong; slow is not wrong.
 */
export async function benchWallets(): Promise<boolean> {
  const faults: string[] = []
  const results: Partial<Record<BedName, WalletResults>> = {}
  for (const name of BEDS) results[name] = await measure(name, faults)
  const rows = BEDS.flatMap((name) => rowsOf(name, results[name]!))
  console.log(tableOf(rows))
  for (const fault of faults) console.error(`wrong answer: ${fault}`)
  const at = new Date().toISOString()
  await addToReport({ wallets: { at, node: process.version, rounds: ROUNDS, rows, results, faults } })
  return faults.length === 0
}

async function measure(name: BedName, faults: string[]): Promise<WalletResults> {
  return withBed(
    (folder) => openWalletBed(name, folder),
    async (bed) => {
      progress(`${name}, sign-ins`)
      const signIns = await measureSignIns(bed, ROUNDS, faults)
      progress(`${name}, payments`)
      const payments = await measurePayments(bed, ROUNDS, faults)
      if (name !== 'sandbox') return { signIns, payments }
      progress(`${name}, clicks`)
      return { signIns, payments, clicks: await measureClicks(bed, ROUNDS) }
    },
  )
}

const progress = (what: string) => console.error(`measuring: ${what}`)

type WalletResults = { signIns: SignIns; payments: Payments; clicks?: Clicks }
type WalletRow = { bed: BedName; what: string; digits?: number } & Partial<Record<Way, number>>

const HEAD: Record<Way, string> = {
  key: 'API key',
  session: 'session',
  evm: 'EVM',
  solana: 'Solana',
  offer: 'nobody (402)',
}

const TITLE: Record<BedName, string> = {
  sandbox: 'Sandbox: embedded database, facilitator inside',
  operated: 'PostgreSQL, facilitator over HTTP',
}

function rowsOf(bed: BedName, { signIns, payments, clicks }: WalletResults): WalletRow[] {
  const signIn = (what: string, connections: 1 | 16, name: keyof SignIn, digits?: number): WalletRow => ({
    bed,
    what: `${what}, ${connections === 1 ? '1 connection' : '16 connections'}`,
    digits,
    ...Object.fromEntries(WAYS.map((way) => [way, signIns[connections][way][name]])),
  })
  const sent = (what: string, of: Record<'evm' | 'solana', Sent>, name: keyof Sent, digits = 1): WalletRow => ({
    bed,
    what,
    digits,
    evm: of.evm[name],
    solana: of.solana[name],
  })
  const { chat, topUp, verify, settle } = payments
  const signed = { evm: chat['signed evm'], solana: chat['signed solana'] }
  const paid = { evm: chat['paid evm'], solana: chat['paid solana'] }
  const cpu = signIn('CPU µs', 16, 'cpuUs', 0)
  const rows = [
    signIn('p50 ms', 1, 'p50Ms', 2),
    signIn('p95 ms', 1, 'p95Ms', 2),
    signIn('p50 ms', 16, 'p50Ms', 1),
    signIn('p95 ms', 16, 'p95Ms', 1),
    signIn('requests/s', 16, 'perSecond', 0),
    cpu,
    timesKey(cpu),
    signIn('  of it the event loop’s', 16, 'mainUs', 0),
    ...(signIns[16].key.lateP99Ms === undefined
      ? []
      : [
          signIn('event loop late, p99 ms', 16, 'lateP99Ms', 1),
          signIn('event loop late, longest ms', 16, 'lateMaxMs', 1),
        ]),
    { ...sent('chat of 1 KB, p50 ms', signed, 'p50Ms'), key: chat.key.p50Ms, session: chat.session.p50Ms },
    sent('  with a payment in the request', paid, 'p50Ms'),
    sent('top-up, p50 ms', topUp, 'p50Ms'),
    sent('top-up, p95 ms', topUp, 'p95Ms'),
    sent('  event loop’s CPU, ms', { evm: inMs(topUp.evm), solana: inMs(topUp.solana) }, 'mainUs'),
    ...(verify ? [sent('  verify: the facilitator itself, p50 ms', verify, 'insideP50Ms')] : []),
    ...(verify ? [sent('  verify over HTTP', verify, 'p50Ms')] : []),
    ...(settle ? [sent('  settle: the facilitator itself, p50 ms', settle, 'insideP50Ms')] : []),
    ...(settle ? [sent('  settle over HTTP', settle, 'p50Ms')] : []),
  ]
  return clicks ? [...rows, ...clickRows(bed, clicks)] : rows
}

function clickRows(bed: BedName, { evm, solana }: Clicks): WalletRow[] {
  const row = (what: string, name: keyof Clicks['evm']): WalletRow => ({
    bed,
    what,
    digits: 0,
    evm: evm[name],
    solana: solana[name],
  })
  return [
    row('click to credited, the first in a browser, ms', 'coldMs'),
    row('  of it the payment’s request', 'coldRequestMs'),
    row('click to credited, those after it, ms', 'warmMs'),
    row('  of it the payment’s request', 'warmRequestMs'),
  ]
}

function timesKey(row: WalletRow): WalletRow {
  const over = (way: Way) => (row[way] ?? Number.NaN) / (row.key ?? Number.NaN)
  return {
    bed: row.bed,
    what: '  × API key',
    digits: 2,
    ...Object.fromEntries(WAYS.map((way) => [way, over(way)])),
  }
}

const inMs = (sent: Sent): Sent => ({ ...sent, mainUs: sent.mainUs / 1_000 })

function tableOf(rows: WalletRow[]): string {
  const beds = [...new Set(rows.map(({ bed }) => bed))]
  return beds
    .map((bed) => {
      const lines = rows
        .filter((row) => row.bed === bed)
        .map((row) => [row.what, ...WAYS.map((way) => shown(row[way], row.digits))])
      return aligned([[TITLE[bed], ...WAYS.map((way) => HEAD[way])], ...lines])
    })
    .join('\n\n')
}
