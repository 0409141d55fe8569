import { uuid } from '@/lib/contract/ids'
import { formatUsd, type Usd, usd } from '@/lib/contract/money'
import { findAccount } from '@/lib/services/identity/accounts'
import type { Balances } from '@/lib/services/ledger/hold'
import { credit } from '@/lib/services/ledger/ledger'
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
