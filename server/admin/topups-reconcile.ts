import { EVM_NETWORK, NANO_PER_USDC_UNIT } from '@/lib/contract/chains'
import { formatUsd, nano } from '@/lib/contract/money'
import { rails } from '@/lib/services/chains/rails'
import type { PaymentRow } from '@/lib/services/payments/payment-row'
import { reconcileNow } from '@/lib/services/payments/reconciler'
import { answer, type Command, CommandError, optionText, UsageError, type Values } from '@/server/admin/command'

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
