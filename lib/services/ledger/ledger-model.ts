import type { Currency } from '@/lib/services/ledger/hold'

const SPEND_ORDER: Currency[] = ['DIEM', 'BUNDLED_CREDITS', 'USD']

type Purse = { posted: bigint; held: bigint }
type ModelKey = { limits: { usd?: bigint; diem?: bigint }; spent: Purse; diem: Purse; isRevoked: boolean }
type ModelHold = { account: string; key?: string; currency: Currency; amount: bigint; checkpoint: bigint }
type Ask = { account: string; key?: string; amount: bigint; minimum?: bigint }

/** The ledger as one would explain it, in memory, one command after the other (INV-14). `posted` of a key is what it spent. */
export class LedgerModel {
  readonly purses = new Map<string, Purse>()
  readonly keys = new Map<string, ModelKey>()
  readonly holds = new Map<string, ModelHold>()

  purse = (account: string, currency: Currency): Purse => {
    const name = `${account} ${currency}`
    const purse = this.purses.get(name) ?? { posted: 0n, held: 0n }
    this.purses.set(name, purse)
    return purse
  }

  addKey(id: string, limits: ModelKey['limits']): void {
    this.keys.set(id, { limits, spent: { posted: 0n, held: 0n }, diem: { posted: 0n, held: 0n }, isRevoked: false })
  }

  /** What one currency of the account still gives, under the limit of the key. */
  spendable(account: string, key: string | undefined, currency: Currency): bigint {
    const { posted, held } = this.purse(account, currency)
    const limit = key === undefined ? undefined : this.keys.get(key)?.limits[currency === 'DIEM' ? 'diem' : 'usd']
    const counted = this.counted(key, currency)
    const left = limit === undefined || !counted ? posted - held : limit - counted.posted - counted.held
    return left < posted - held ? left : posted - held
  }

  /** What a hold would get now; nothing when it would be refused. */
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
    for (const purse of this.touched(hold)) purse.held += by
  }

  /** What a charge of `asked` would take: the hold, and beyond it what is still there. */
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
    this.purse(hold.account, hold.currency).posted -= charged
    const counted = this.counted(hold.key, hold.currency)
    if (counted) counted.posted += charged
    for (const purse of this.touched(hold)) purse.held -= hold.amount
  }

  /** What a debit of up to `most` would take: what is neither gone nor held. */
  available(account: string, currency: Currency, most: bigint): bigint {
    const { posted, held } = this.purse(account, currency)
    return most < posted - held ? most : posted - held
  }

  private get(id: string): ModelHold {
    const hold = this.holds.get(id)
    if (!hold) throw new Error(`hold ${id} is not open`)
    return hold
  }

  private touched({ account, key, currency }: ModelHold): Purse[] {
    const counted = this.counted(key, currency)
    return counted ? [this.purse(account, currency), counted] : [this.purse(account, currency)]
  }

  private counted(key: string | undefined, currency: Currency): Purse | undefined {
    const found = key === undefined ? undefined : this.keys.get(key)
    return currency === 'DIEM' ? found?.diem : found?.spent
  }
}
