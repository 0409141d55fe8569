import { formatUsd } from '@/lib/contract/money'
import { accounts } from '@/lib/db/schema/accounts'
import { type AccountSummary, findAccount, listAccounts, updateAccount } from '@/lib/services/identity/accounts'
import { answer, type Command, CommandError, optionText, table, UsageError, type Values } from '@/server/admin/command'

const STATUSES = accounts.status.enumValues
const KINDS = accounts.kind.enumValues
const DEFAULT_LIMIT = 100
const MAX_LIMIT = 10_000
const MAX_RATE_MULTIPLIER = 1_000

async function list(values: Values) {
  const found = await listAccounts({
    kind: choice(values, 'kind', KINDS),
    status: choice(values, 'status', STATUSES),
    limit: wholeNumber(values, 'limit', MAX_LIMIT) ?? DEFAULT_LIMIT,
  })
  const header = ['ACCOUNT', 'KIND', 'STATUS', 'PRO', 'RATE', 'USD', 'KEYS', 'CREATED', 'NAME']
  const rows = found.map((account) => [
    account.id,
    account.kind,
    account.status,
    onOff(account.isPro),
    `x${account.rateMultiplier}`,
    formatUsd(account.balance.usd, 2),
    String(account.activeKeys),
    account.createdAt.toISOString().slice(0, 10),
    account.wallet ?? account.name,
  ])
  return answer(found.length === 0 ? ['No accounts.'] : table([header, ...rows]), { accounts: found.map(plain) })
}

async function show(_: Values, [idOrWallet]: string[]) {
  return shown(await existing(idOrWallet))
}

async function set(values: Values, [idOrWallet]: string[]) {
  const pro = choice(values, 'pro', ['on', 'off'])
  const changes = {
    status: choice(values, 'status', STATUSES),
    isPro: pro === undefined ? undefined : pro === 'on',
    rateMultiplier: wholeNumber(values, 'rate-multiplier', MAX_RATE_MULTIPLIER),
  }
  if (Object.values(changes).every((change) => change === undefined)) {
    throw new UsageError('Nothing to change: set --pro, --status or --rate-multiplier.')
  }
  const id = await existing(idOrWallet)
  await updateAccount(id, changes)
  return shown(id)
}

async function existing(idOrWallet: string | undefined): Promise<string> {
  if (idOrWallet === undefined) throw new UsageError('ID is required; `admin accounts list` lists them.')
  const account = await findAccount(idOrWallet)
  if (!account) throw new CommandError(`There is no account or wallet ${idOrWallet}.`)
  return account.id
}

async function shown(id: string) {
  const [account] = await listAccounts({ id, limit: 1 })
  if (!account) throw new CommandError(`There is no account ${id}.`)
  const { balance } = account
  const lines = [
    ['Account', account.id],
    ['Kind', account.kind],
    ...(account.wallet === null ? [] : [['Wallet', account.wallet]]),
    ...(account.name === '' ? [] : [['Name', account.name]]),
    ['Status', account.status],
    ['Pro', onOff(account.isPro)],
    ['Rate limits', `x${account.rateMultiplier}`],
    ['Balance', `${formatUsd(balance.usd)} USD, ${formatUsd(balance.diem)} DIEM`],
    ['Held', `${formatUsd(balance.held)} for running requests`],
    ['Active keys', `${account.activeKeys}, last used ${account.lastUsedAt?.toISOString().slice(0, 16) ?? 'never'}`],
    ['Created', account.createdAt.toISOString()],
  ]
  return answer(table(lines), plain(account))
}

const onOff = (isOn: boolean): string => (isOn ? 'on' : 'off')

const plain = ({ balance: { usd, diem, held }, ...account }: AccountSummary) => ({
  ...account,
  balance: { usd: formatUsd(usd), diem: formatUsd(diem), held: formatUsd(held) },
})

function choice<T extends string>(values: Values, name: string, choices: readonly T[]): T | undefined {
  const text = optionText(values, name)
  if (text === undefined) return undefined
  const found = choices.find((word) => word === text.toLowerCase())
  if (found === undefined) throw new UsageError(`--${name}: ${choices.join(', ')}.`)
  return found
}

function wholeNumber(values: Values, name: string, max: number): number | undefined {
  const text = optionText(values, name)
  if (text === undefined) return undefined
  const value = Number(text)
  if (text.trim() === '' || !Number.isInteger(value) || value < 1 || value > max) {
    throw new UsageError(`--${name}: a whole number from 1 to ${max}.`)
  }
  return value
}

export const accountCommands: Command[] = [
  {
    name: 'accounts list',
    usage: `accounts list [--kind ${KINDS.join('|')}] [--status ${STATUSES.join('|')}] [--limit N]`,
    summary: `lists accounts, the newest first, ${DEFAULT_LIMIT} by default`,
    options: { kind: { type: 'string' }, status: { type: 'string' }, limit: { type: 'string' } },
    needsDatabase: true,
    run: list,
  },
  {
    name: 'accounts show',
    usage: 'accounts show ID',
    summary: 'shows one account, by its id or wallet address',
    needsDatabase: true,
    run: show,
  },
  {
    name: 'accounts set',
    usage: `accounts set ID [--pro on|off] [--status ${STATUSES.join('|')}] [--rate-multiplier N]`,
    summary: 'grants or revokes Pro, closes or reopens an account, multiplies its rate limits',
    options: { pro: { type: 'string' }, status: { type: 'string' }, 'rate-multiplier': { type: 'string' } },
    needsDatabase: true,
    run: set,
  },
]
