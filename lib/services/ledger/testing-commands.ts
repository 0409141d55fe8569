import fc from 'fast-check'
import { expect } from 'vitest'
import { ApiError } from '@/lib/contract/errors'
import { uuid } from '@/lib/contract/ids'
import { nano } from '@/lib/contract/money'
import type { Database } from '@/lib/db/database'
import { createLedger, type Ledger } from '@/lib/services/ledger/ledger'
import type { Currency, Hold } from '@/lib/services/ledger/ledger-types'
import { sweep } from '@/lib/services/ledger/sweep'
import { chargeOfNano, makeAccount, makeKey } from '@/lib/services/ledger/testing'

export type Command =
  | { do: 'credit'; account: number; currency: Currency; amount: bigint }
  | { do: 'debit'; account: number; currency: Currency; amount: bigint; kind: 'expire' | 'reversal' }
  | { do: 'hold'; account: number; key: number; amount: bigint; minimum?: bigint }
  | { do: 'extend' | 'checkpoint' | 'capture'; hold: number; amount: bigint }
  | { do: 'release'; hold: number }
  | { do: 'crash' }
  | { do: 'sweep' }
  | { do: 'revoke'; key: number }

const SPEND_ORDER: Currency[] = ['DIEM', 'BUNDLED_CREDITS', 'USD']

const index = fc.nat({ max: 1_000 })
const currency = fc.constantFrom<Currency>('DIEM', 'BUNDLED_CREDITS', 'USD')
const amount = fc.oneof(fc.bigInt(1n, 50n), fc.bigInt(1n, 2_000n))

export const commands: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 120,
    arbitrary: fc.record({ do: fc.constant('credit'), account: index, currency, amount }),
  },
  {
    weight: 40,
    arbitrary: fc.record({
      do: fc.constant('debit'),
      account: index,
      currency,
      amount,
      kind: fc.constantFrom('expire', 'reversal'),
    }),
  },
  {
    weight: 800,
    arbitrary: fc.record({
      do: fc.constant('hold'),
      account: index,
      key: index,
      amount,
      minimum: fc.option(amount, { nil: undefined }),
    }),
  },
  { weight: 160, arbitrary: fc.record({ do: fc.constant('extend'), hold: index, amount }) },
  { weight: 160, arbitrary: fc.record({ do: fc.constant('checkpoint'), hold: index, amount }) },
  { weight: 480, arbitrary: fc.record({ do: fc.constant('capture'), hold: index, amount }) },
  { weight: 240, arbitrary: fc.record({ do: fc.constant('release'), hold: index }) },
  { weight: 10, arbitrary: fc.constant<Command>({ do: 'crash' }) },
  { weight: 10, arbitrary: fc.constant<Command>({ do: 'sweep' }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('revoke'), key: index }) },
) as fc.Arbitrary<Command>

export async function makeWorld(database: Database, accountCount: number, isOneProcess = false) {
  const model = new LedgerModel()
  const accounts: string[] = []
  const keys: { id: string; account: string }[] = []
  for (let n = 0; n < accountCount; n++) {
    const account = await makeAccount(database)
    accounts.push(account)
    for (const limits of [{}, { usd: 4_000n }, { usd: 20_000n, diem: 3_000n }, { diem: 0n }]) {
      const id = await makeKey(database, account, { ...limits, period: 'LIFETIME' })
      keys.push({ id, account })
      model.addKey(id, limits)
    }
  }
  return { database, model, accounts, keys, isOneProcess }
}

export type World = Awaited<ReturnType<typeof makeWorld>>

/** A process: `told` has what it was told of charges, which a crash may lose before they are written. */
export type Actor = { database: Database; processId: string; ledger: Ledger; holds: Hold[]; told: Map<string, Told> }
type Told = { hold: Hold; charged: bigint }

export function startActor(database: Database): Actor {
  const processId = uuid()
  return { database, processId, ledger: createLedger(database, { processId }), holds: [], told: new Map() }
}

/**
 * Runs one command and tells the model what the ledger accepted; `isAlone`: nothing else runs, so that the model must
 * have foreseen it.
 */
export async function runCommand(world: World, actor: Actor, command: Command, isAlone: boolean): Promise<void> {
  const { model, database } = world
  switch (command.do) {
    case 'credit': {
      const accountId = pick(world.accounts, command.account)
      await actor.ledger.credit({
        ...command,
        accountId,
        amount: nano(command.amount),
        kind: 'grant',
        idempotencyKey: uuid(),
      })
      model.balanceOf(accountId, command.currency).posted += command.amount
      return
    }
    case 'debit':
      return runDebit(world, actor, command, isAlone)
    case 'hold':
      return runHold(world, actor, command, isAlone)
    case 'revoke': {
      const { id } = pick(world.keys, command.key)
      await database.query('update api_key set revoked_at = now() where id = $1', [id])
      const key = model.keys.get(id)
      if (key) key.isRevoked = true
      return
    }
    case 'sweep':
      await sweep(actor.database)
      return
    case 'crash':
      return
  }
  const hold = take(actor, command.hold)
  if (!hold) return
  if (command.do === 'extend') {
    const isForeseen = model.canExtend(hold.id, command.amount)
    const isGranted = await actor.ledger.extend(hold, nano(command.amount))
    if (isAlone) expect(isGranted).toBe(isForeseen)
    if (isGranted) model.extend(hold.id, command.amount)
    actor.holds.push(hold)
  } else if (command.do === 'checkpoint') {
    actor.ledger.checkpoint(hold, chargeOfNano(command.amount))
    await actor.ledger.flush()
    const known = model.holds.get(hold.id)
    if (known && known.checkpoint < command.amount) known.checkpoint = command.amount
    actor.holds.push(hold)
  } else if (command.do === 'capture') {
    const foreseen = isAlone ? model.taken(hold.id, command.amount) : undefined
    const { charged, currency } = await actor.ledger.capture(hold, chargeOfNano(command.amount))
    if (foreseen !== undefined) expect(charged).toBe(foreseen)
    expect(currency).toBe(hold.currency)
    model.end(hold.id, charged)
    actor.told.set(hold.id, { hold, charged })
  } else {
    await actor.ledger.release(hold)
    model.end(hold.id, 0n)
  }
}

async function runDebit(
  { model, accounts }: World,
  actor: Actor,
  command: Command & { do: 'debit' },
  isAlone: boolean,
): Promise<void> {
  const { currency, kind } = command
  const accountId = pick(accounts, command.account)
  const foreseen = isAlone ? model.available(accountId, currency, command.amount) : undefined
  const debit = { accountId, currency, kind, maxNanoUsd: nano(command.amount), idempotencyKey: uuid() }
  const [first, repeat] = await Promise.all([actor.ledger.debit(debit), actor.ledger.debit(debit)])
  // What found nothing leaves its key free, and a credit may come between the two.
  const total = first > repeat ? first : repeat
  if (first > 0n && repeat > 0n) expect(repeat).toBe(first)
  if (foreseen !== undefined) expect([first, repeat]).toEqual([foreseen, foreseen])
  model.balanceOf(accountId, currency).posted -= total
}

async function runHold(world: World, actor: Actor, command: Command & { do: 'hold' }, isAlone: boolean): Promise<void> {
  const { model } = world
  const key = command.key % 3 === 0 ? undefined : pick(world.keys, command.key)
  const account = key?.account ?? pick(world.accounts, command.account)
  const ask = { account, key: key?.id, amount: command.amount, minimum: command.minimum }
  const foreseen = isAlone ? model.choose(ask) : undefined
  try {
    const minimum = command.minimum === undefined ? undefined : nano(command.minimum)
    const hold = await actor.ledger.hold({
      accountId: account,
      keyId: key?.id,
      requestId: 'r',
      amount: nano(command.amount),
      minimum,
    })
    model.hold(hold.id, ask, hold)
    actor.holds.push(hold)
    if (!isAlone) return
    expect(foreseen).toBeDefined()
    // What another process leases of an earlier currency, or what a limit of the key counts there, is found out later.
    if (hold.currency === foreseen?.currency) expect(hold.amount).toBe(foreseen.amount)
    else expect(SPEND_ORDER.indexOf(hold.currency)).toBeGreaterThan(SPEND_ORDER.indexOf(foreseen?.currency as Currency))
    if (world.isOneProcess && key === undefined) expect(hold.currency).toBe(foreseen?.currency)
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error
    if (isAlone) expect(foreseen).toBeUndefined()
  }
}

/** Ends a process between two of its writes, and sweeps; the model forgets what was told and never written. */
export async function crash({ database, model }: World, actor: Actor, sweeper: Database): Promise<void> {
  await actor.ledger.abandon()
  await database.query(`update ledger_process set seen_at = now() - interval '1 minute' where id = $1`, [
    actor.processId,
  ])
  const isLeft = `select 1 from lease where process_id = $1`
  // A sweep passes over what another one is ending at that moment.
  do await sweep(sweeper)
  while ((await database.query(isLeft, [actor.processId])).length > 0)
  const lost = actor.holds.splice(0)
  const ids = [...lost.map((hold) => hold.id), ...actor.told.keys()]
  const rows = await database.query<{ id: string; charged: string }>(
    'select txn_id as id, (-amount)::text as charged from entry where txn_id = any($1::uuid[]) and leg = 1',
    [ids],
  )
  const written = new Map(rows.map(({ id, charged }) => [id, BigInt(charged)]))
  for (const hold of lost) model.end(hold.id, written.get(hold.id) ?? 0n)
  for (const [id, { hold, charged }] of actor.told) model.undo(hold, charged - (written.get(id) ?? 0n))
  Object.assign(actor, startActor(actor.database))
}

export async function expectSame({ database, model, accounts, keys }: World): Promise<void> {
  const balances = await database.query<{ name: string; posted: string; held: string }>(
    `select account_id || ' ' || currency as name, posted::text, held::text from balance where account_id = any($1::uuid[])`,
    [accounts],
  )
  const found = Object.fromEntries(balances.map(({ name, posted, held }) => [name, `${posted} ${held}`]))
  const known = [...model.balances].filter(([name, { posted }]) => posted > 0n || name in found)
  expect(found).toEqual(Object.fromEntries(known.map(([name, { posted, held }]) => [name, `${posted} ${held}`])))

  const rows = await database.query<{ id: string; counts: string }>(
    `select id, concat_ws(' ', spent_usd, held_usd, spent_diem, held_diem) as counts from api_key where id = any($1::uuid[])`,
    [keys.map((key) => key.id)],
  )
  const counts = [...model.keys].map(([id, { spent, diem }]) => [
    id,
    [spent.posted, spent.held, diem.posted, diem.held].join(' '),
  ])
  expect(Object.fromEntries(rows.map((row) => [row.id, row.counts]))).toEqual(Object.fromEntries(counts))
}

const pick = <Item>(items: Item[], n: number): Item => items[n % items.length] as Item

function take(actor: Actor, n: number): Hold | undefined {
  return actor.holds.length === 0 ? undefined : actor.holds.splice(n % actor.holds.length, 1)[0]
}

type Balance = { posted: bigint; held: bigint }
type ModelKey = { limits: { usd?: bigint; diem?: bigint }; spent: Balance; diem: Balance; isRevoked: boolean }
type ModelHold = { account: string; key?: string; currency: Currency; amount: bigint; checkpoint: bigint }
type Ask = { account: string; key?: string; amount: bigint; minimum?: bigint }

/** A model of the ledger in memory, one command after the other (INV-14). `posted` of a key is what it spent. */
class LedgerModel {
  readonly balances = new Map<string, Balance>()
  readonly keys = new Map<string, ModelKey>()
  readonly holds = new Map<string, ModelHold>()

  balanceOf = (account: string, currency: Currency): Balance => {
    const name = `${account} ${currency}`
    const balance = this.balances.get(name) ?? { posted: 0n, held: 0n }
    this.balances.set(name, balance)
    return balance
  }

  addKey(id: string, limits: ModelKey['limits']): void {
    this.keys.set(id, { limits, spent: { posted: 0n, held: 0n }, diem: { posted: 0n, held: 0n }, isRevoked: false })
  }

  spendable(account: string, key: string | undefined, currency: Currency): bigint {
    const { posted, held } = this.balanceOf(account, currency)
    const limit = key === undefined ? undefined : this.keys.get(key)?.limits[currency === 'DIEM' ? 'diem' : 'usd']
    const counted = this.counted(key, currency)
    const left = limit === undefined || !counted ? posted - held : limit - counted.posted - counted.held
    return left < posted - held ? left : posted - held
  }

  choose({ account, key, amount, minimum = amount }: Ask): { currency: Currency; amount: bigint } | undefined {
    if (key !== undefined && this.keys.get(key)?.isRevoked) return undefined
    const whole = SPEND_ORDER.find((currency) => this.spendable(account, key, currency) >= amount)
    if (whole) return { currency: whole, amount }
    const part = SPEND_ORDER.find((currency) => this.spendable(account, key, currency) >= minimum)
    return part && { currency: part, amount: this.spendable(account, key, part) }
  }

  hold(id: string, { account, key }: Ask, { currency, amount }: { currency: Currency; amount: bigint }): void {
    this.holds.set(id, { account, key, currency, amount: 0n, checkpoint: 0n })
    this.extend(id, amount)
  }

  canExtend(id: string, by: bigint): boolean {
    const hold = this.holds.get(id)
    if (!hold || (hold.key !== undefined && this.keys.get(hold.key)?.isRevoked)) return false
    return this.spendable(hold.account, hold.key, hold.currency) >= by
  }

  extend(id: string, by: bigint): void {
    const hold = this.get(id)
    hold.amount += by
    for (const balance of this.touched(hold)) balance.held += by
  }

  taken(id: string, asked: bigint): bigint {
    const { account, key, currency, amount } = this.get(id)
    const beyond = asked > amount ? asked - amount : 0n
    const spendable = this.spendable(account, key, currency)
    const excess = beyond < spendable ? beyond : spendable
    return (asked < amount ? asked : amount) + (excess > 0n ? excess : 0n)
  }

  end(id: string, charged: bigint): void {
    const hold = this.get(id)
    this.holds.delete(id)
    this.balanceOf(hold.account, hold.currency).posted -= charged
    const counted = this.counted(hold.key, hold.currency)
    if (counted) counted.posted += charged
    for (const balance of this.touched(hold)) balance.held -= hold.amount
  }

  undo({ accountId, keyId, currency }: Hold, charged: bigint): void {
    this.balanceOf(accountId, currency).posted += charged
    const counted = this.counted(keyId, currency)
    if (counted) counted.posted -= charged
  }

  available(account: string, currency: Currency, max: bigint): bigint {
    const { posted, held } = this.balanceOf(account, currency)
    return max < posted - held ? max : posted - held
  }

  private get(id: string): ModelHold {
    const hold = this.holds.get(id)
    if (!hold) throw new Error(`hold ${id} is not open`)
    return hold
  }

  private touched({ account, key, currency }: ModelHold): Balance[] {
    const counted = this.counted(key, currency)
    return counted ? [this.balanceOf(account, currency), counted] : [this.balanceOf(account, currency)]
  }

  private counted(key: string | undefined, currency: Currency): Balance | undefined {
    const found = key === undefined ? undefined : this.keys.get(key)
    return currency === 'DIEM' ? found?.diem : found?.spent
  }
}
