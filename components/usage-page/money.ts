import { formatExactMoney, formatUnitless, moneyOf } from '@/lib/client/cost'

/** Writes dollars of the wire to the last digit. @example exact(0.0014) // "$0.0014" */
export const exact = (dollars: number): string => formatExactMoney(moneyOf(dollars))

/** Writes DIEM of the wire to the last digit, without a currency. @example exactDiem(1.5) // "1.50" */
export const exactDiem = (diem: number): string => formatUnitless(moneyOf(diem), 'exact')
