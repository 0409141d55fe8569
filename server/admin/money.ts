import { EVM_NETWORK, NANO_PER_USDC_UNIT } from '@/lib/contract/chains'
import { uuid } from '@/lib/contract/ids'
import { formatUsd, nano, type Usd, usd } from '@/lib/contract/money'
import { getDb } from '@/lib/db/client'
import { config } from '@/lib/kernel/config'
import { rails } from '@/lib/services/chains/rails'
import { findAccount } from '@/lib/services/identity/accounts'
import { checkLedger } from '@/lib/services/ledger/invariants'
import { credit } from '@/lib/services/ledger/ledger'
import type { Balances } from '@/lib/services/ledger/ledger-types'
import { fundAddress } from '@/lib/services/payments/faucet'
import { reconcileNow } from '@/lib/services/payments/reconciler'
import type { PaymentRow } from '@/lib/services/payments/store'
import { answer, type Command, CommandError, optionText, UsageError, type Values } from '@/server/admin/command'

const MAX_GRANT = usd('1000000')

export function dollarsOf(text: string): Usd {
  let amount: Usd
  try {
    amount = usd(text)
  } catch {
    throw new UsageError(`${text}: not an amount of dollars such as 5 or 0.50.`)
  }
  if (amount <= 0n || amount > MAX_GRANT)
    throw new UsageError(`${text}: must be above 0 and at most ${formatUsd(MAX_GRANT, 0)} USD.`)
  return amount
}

export function grant(accountId: string, amount: Usd, reason: string): Promise<Balances> {
  return credit({ accountId, currency: 'USD', amount, kind: 'grant', idempotencyKey: `admin:${uuid()}`, reason })
}

async function run(values: Values, [to, dollars]: string[]) {
  if (to === undefined || dollars === undefined) throw new UsageError('ACCOUNT and USD are required.')
  const amount = dollarsOf(dollars)
  const account = await findAccount(to)
  if (!account) throw new CommandError(`There is no account or wallet ${to}.`)
  const balances = await grant(account.id, amount, optionText(values, 'reason') ?? 'Granted by the operator')
  const balance = formatUsd(balances.USD)
  return answer([`Credited ${formatUsd(amount, 2)} USD to ${account.id}. It can now spend ${balance} USD.`], {
    accountId: account.id,
    credited: formatUsd(amount),
    balanceUsd: balance,
  })
}

export const creditCommand: Command = {
  name: 'credit',
  usage: 'credit ACCOUNT USD [--reason TEXT]',
  summary: 'grants credit, as a ledger entry',
  options: { reason: { type: 'string' } },
  needsDatabase: true,
  run,
}

async function check() {
  const findings = await checkLedger(await getDb(), { depth: 'full' })
  const broken = findings.filter((finding) => finding.broken > 0)
  if (broken.length === 0) return answer([`The ledger is consistent: ${findings.length} checks passed.`], { findings })
  const lines = broken.flatMap(({ name, says, broken, examples }) => [
    `${name}: ${broken} broken. ${says}`,
    ...examples.map((example) => `  ${example}`),
  ])
  return answer(
    [...lines, `The ledger is inconsistent: ${broken.length} of ${findings.length} checks failed.`],
    { findings },
    1,
  )
}

export const ledgerCommand: Command = {
  name: 'ledger check',
  usage: 'ledger check',
  summary: 'checks every ledger invariant; if one fails, prints the broken rows and exits with 1',
  needsDatabase: true,
  run: check,
}

async function reconcile(values: Values) {
  if (rails().length === 0) throw new CommandError('No payments are accepted here: no receiver is configured.')
  const fromBlock = optionText(values, 'from-block')
  if (fromBlock !== undefined && !/^\d{1,15}$/.test(fromBlock))
    throw new UsageError(`${fromBlock}: not a block number.`)
  // A cursor is the last block that was read: the one before.
  const from: Record<string, string> = fromBlock === undefined ? {} : { [EVM_NETWORK]: String(BigInt(fromBlock) - 1n) }
  const { resolutions, scans } = await reconcileNow(from)

  const changed = resolutions.filter(({ outcome }) => ['credited', 'failed', 'reversed'].includes(outcome))
  const open = resolutions.filter(({ outcome }) => ['open', 'missing', 'unreachable'].includes(outcome))
  const found = scans.flatMap(({ credited }) => credited)
  const unreachable = [
    ...new Set([
      ...scans.filter(({ isReachable }) => !isReachable).map(({ network }) => network),
      ...resolutions.filter(({ outcome }) => outcome === 'unreachable').map(({ row }) => row.network),
    ]),
  ]
  const lines = [
    ...changed.map(({ row, outcome }) => `${outcome}: ${describe(row)}`),
    ...found.map((row) => `found on chain and credited: ${describe(row)}`),
    ...scans.map(
      ({ network, transfers, isDone }) =>
        `${network}: ${transfers} transfers read${isDone ? '' : ', scan not complete'}.`,
    ),
    ...unreachable.map((network) => `${network} is unreachable; its payments could not be checked.`),
    `Checked ${resolutions.length} payments: ${changed.length + found.length} corrected, ${open.length} still open.`,
  ]
  const json = {
    resolved: changed.map(({ row, outcome }) => ({ outcome, ...facts(row) })),
    found: found.map(facts),
    open: open.map(({ row, outcome }) => ({ outcome, ...facts(row) })),
    scans: scans.map(({ network, transfers, isDone }) => ({ network, transfers, isDone })),
    unreachable,
  }
  return answer(lines, json, unreachable.length === 0 ? 0 : 1)
}

const describe = (row: PaymentRow): string =>
  `${dollars(row)} USD of ${row.payer} (payment ${row.id}, transaction ${row.transaction ?? 'none'})`

const facts = (row: PaymentRow) => ({
  id: row.id,
  network: row.network,
  payer: row.payer,
  amountUsd: dollars(row),
  transaction: row.transaction ?? null,
})

const dollars = ({ amount }: PaymentRow): string => formatUsd(nano(amount * NANO_PER_USDC_UNIT))

export const topupsCommand: Command = {
  name: 'topups reconcile',
  usage: 'topups reconcile [--from-block NUMBER]',
  summary: 'compares payments on chain with credits, and credits missed payments',
  options: { 'from-block': { type: 'string' } },
  needsDatabase: true,
  run: reconcile,
}

const USUAL_FUNDS = usd('25')
const CHAIN = { evm: 'the local EVM (chain id 8453)', solana: 'the local Solana' } as const

async function fund(_: Values, [address, dollars]: string[]) {
  if (address === undefined) throw new UsageError('ADDRESS is required.')
  if (!config().isSandbox) throw new CommandError('There is no test money here: payments are real on this server.')
  const amount = dollars === undefined ? USUAL_FUNDS : dollarsOf(dollars)
  if (amount % NANO_PER_USDC_UNIT !== 0n) throw new UsageError(`${dollars}: USDC has six decimals.`)
  const { family, nodeUrl } = await fundAddress(address, amount / NANO_PER_USDC_UNIT)
  const funded = formatUsd(amount, 2)
  return answer([`${address} received ${funded} test USDC on ${CHAIN[family]}. Its node:`, nodeUrl], {
    address,
    family,
    fundedUsd: funded,
    nodeUrl,
  })
}

export const sandboxFundCommand: Command = {
  name: 'sandbox fund',
  usage: 'sandbox fund ADDRESS [USD]',
  summary: 'sandbox only: sends test USDC to an EVM or Solana address; the last line is the URL of the local node',
  needsDatabase: false,
  run: fund,
}
