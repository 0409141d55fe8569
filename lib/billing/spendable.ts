import type { Balances } from '@/lib/billing/ledger'
import { nano, type Usd, usd } from '@/lib/core/money'

/** Contract, README 13: who has less than this, over all currencies, may not begin. */
export const ADMISSION_MINIMUM = usd('0.10')

/** What was paid in or given and may be spent: all but the daily credit of staked tokens. */
export const creditOf = ({ USD, BUNDLED_CREDITS }: Balances): Usd => nano(USD + BUNDLED_CREDITS)

/** Whether a request that costs something would be let in. */
export const canConsume = (balances: Balances): boolean => creditOf(balances) + balances.DIEM >= ADMISSION_MINIMUM
