import { MAX_KEY_DESCRIPTION_CHARS } from '@/lib/contract/limits'
import { formatUsd, type Usd, ZERO } from '@/lib/contract/money'
import { createAccount, findAccount } from '@/lib/services/identity/accounts'
import {
  type ApiKey,
  createKey,
  type LimitPeriod,
  listKeys,
  type NewKey,
  revokeKey,
} from '@/lib/services/identity/api-keys'
import type { KeyType } from '@/lib/services/identity/credentials'
import { answer, type Command, CommandError, optionText, table, UsageError, type Values } from '@/server/admin/command'
import { dollarsOf, grant } from '@/server/admin/money'

const PERIODS: Record<string, LimitPeriod> = { day: 'EPOCH', month: 'MONTH', lifetime: 'LIFETIME' }

const isKeyType = (text: string): text is KeyType => text === 'ADMIN' || text === 'INFERENCE'

async function create(values: Values) {
  const name = optionText(values, 'name')
  if (!name) throw new UsageError('--name is missing: what the key is for.')
  if (name.length > MAX_KEY_DESCRIPTION_CHARS)
    throw new UsageError(`--name: at most ${MAX_KEY_DESCRIPTION_CHARS} characters.`)
  const type = optionText(values, 'type')?.toUpperCase() ?? 'INFERENCE'
  if (!isKeyType(type)) throw new UsageError('--type: ADMIN or INFERENCE.')
  const amount = values.credit === undefined ? ZERO : dollarsOf(optionText(values, 'credit') ?? '')

  const bounds = boundsOf(values)
  const accountId = await accountFor(optionText(values, 'account'), name)
  if (amount > 0n) await grant(accountId, amount, `Credit with key ${name}`)
  const key = await createKey({ accountId, type, description: name, ...bounds })
  return answer(
    [
      `Account ${accountId}${amount > 0n ? `, credited ${formatUsd(amount, 2)} USD` : ''}`,
      `${type} key ${key.id} (${name}). Copy it now; it is not shown again:`,
      key.secret,
    ],
    { accountId, id: key.id, type, name, credited: formatUsd(amount), apiKey: key.secret },
  )
}

function boundsOf(values: Values): Pick<NewKey, 'limits' | 'limitPeriod' | 'expiresAt'> {
  const limit = optionText(values, 'limit')
  const period = PERIODS[optionText(values, 'period')?.toLowerCase() ?? 'day']
  if (period === undefined) throw new UsageError('--period: day, month or lifetime.')
  const expires = optionText(values, 'expires')
  const expiresAt = expires === undefined ? undefined : new Date(expires)
  if (expiresAt && !(expiresAt.getTime() > Date.now()))
    throw new UsageError('--expires: a day to come, such as 2027-01-31.')
  return { limits: limit === undefined ? undefined : { usd: dollarsOf(limit) }, limitPeriod: period, expiresAt }
}

async function revoke(_: Values, [id]: string[]) {
  if (id === undefined) throw new UsageError('ID is required; `admin keys list` lists them.')
  if (!(await revokeKey(id))) throw new CommandError(`There is no active key ${id}.`)
  return answer([`Key ${id} is revoked.`], { id, revoked: true })
}

async function list(values: Values) {
  const account = optionText(values, 'account')
  const accountId = account === undefined ? undefined : await accountFor(account, '')
  const keys = await listKeys(accountId)
  const rows = keys.map((key) => [
    key.id,
    key.type,
    `…${key.last6}`,
    key.accountId,
    limitOf(key),
    usedOf(key),
    key.description,
  ])
  const header = ['KEY', 'TYPE', 'ENDS IN', 'ACCOUNT', 'LIMIT', 'LAST USED', 'NAME']
  return answer(keys.length === 0 ? ['No active keys.'] : table([header, ...rows]), { keys: keys.map(plain) })
}

async function accountFor(idOrWallet: string | undefined, name: string): Promise<string> {
  if (idOrWallet === undefined) return createAccount('account', name)
  const account = await findAccount(idOrWallet)
  if (!account) throw new CommandError(`There is no account ${idOrWallet}.`)
  return account.id
}

const text = (amount: Usd | null) => (amount === null ? null : formatUsd(amount))
const limitOf = ({ limits, limitPeriod }: ApiKey) =>
  limits.usd === null ? '-' : `${formatUsd(limits.usd, 2)} USD/${limitPeriod.toLowerCase()}`
const usedOf = ({ lastUsedAt }: ApiKey) => lastUsedAt?.toISOString().slice(0, 16) ?? 'never'
const plain = (key: ApiKey) => ({ ...key, limits: { usd: text(key.limits.usd), diem: text(key.limits.diem) } })

export const keyCommands: Command[] = [
  {
    name: 'keys create',
    usage:
      'keys create --name NAME [--type ADMIN|INFERENCE] [--credit USD] [--account ID] [--limit USD [--period day|month|lifetime]] [--expires DATE]',
    summary: 'creates a key, and an account unless --account names one; the key is the last line printed',
    options: {
      name: { type: 'string' },
      type: { type: 'string' },
      credit: { type: 'string' },
      account: { type: 'string' },
      limit: { type: 'string' },
      period: { type: 'string' },
      expires: { type: 'string' },
    },
    needsDatabase: true,
    run: create,
  },
  {
    name: 'keys revoke',
    usage: 'keys revoke ID',
    summary: 'revokes a key immediately',
    needsDatabase: true,
    run: revoke,
  },
  {
    name: 'keys list',
    usage: 'keys list [--account ID]',
    summary: 'lists active keys, without their secrets',
    options: { account: { type: 'string' } },
    needsDatabase: true,
    run: list,
  },
]
