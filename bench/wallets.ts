import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { addToReport } from '@/bench/report-file'
import { type BedName, openWalletBed } from '@/bench/wallet-bed'
import { measureClicks } from '@/bench/wallet-clicks'
import { measurePayments } from '@/bench/wallet-payments'
import { rowsOf, tableOf, type WalletResults } from '@/bench/wallet-report'
import { measureSignIns } from '@/bench/wallet-sign-ins'

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3)
const BEDS: BedName[] = ['sandbox', 'operated']

/**
 * Measures what wallets ask of our server, on local chains: sign-ins beside the cheapest request of an API key, payments
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
  const folder = await mkdtemp(path.join(tmpdir(), 'lagoon-bench-'))
  const bed = await openWalletBed(name, folder)
  try {
    progress(`${name}, sign-ins`)
    const signIns = await measureSignIns(bed, ROUNDS, faults)
    progress(`${name}, payments`)
    const payments = await measurePayments(bed, ROUNDS, faults)
    if (name !== 'sandbox') return { signIns, payments }
    progress(`${name}, clicks`)
    return { signIns, payments, clicks: await measureClicks(bed, ROUNDS) }
  } finally {
    await bed.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

const progress = (what: string) => console.error(`measuring: ${what}`)
