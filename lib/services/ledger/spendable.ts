import { nano, type Usd } from '@/lib/contract/money'
import { ADMISSION_MINIMUM } from '@/lib/contract/prices'
import type { Balances } from '@/lib/services/ledger/hold'

/** What was paid in or given and may be spent: all but the daily credit of staked tokens. */
export const creditOf = ({ USD, BUNDLED_CREDITS }: Balances): Usd => nano(USD + BUNDLED_CREDITS)

/** Whether a request that costs something would be let in. */
export const canConsume = (balances: Balances): boolean => creditOf(balances) + balances.DIEM >= ADMISSION_MINIMUM
